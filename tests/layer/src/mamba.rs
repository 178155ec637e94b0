use burn::module::{Initializer, Param};
use burn::nn::conv::{Conv1d, Conv1dConfig};
use burn::nn::{Linear, LinearConfig, RmsNorm, RmsNormConfig};
use burn::prelude::*;
use burn::tensor::activation::{silu, softplus};

/// The selective state space block of Mamba (Gu and Dao, 2023): norm, in-projection, causal
/// depthwise convolution, selective scan, gate, out-projection, residual.
///
/// The scan runs token by token, as a model author first writes it, so the launches of a
/// forward pass grow with the sequence.
#[derive(Module, Debug)]
pub struct Mamba {
    norm: RmsNorm,
    input: Linear,
    conv: Conv1d,
    /// Chooses, from each token, its step size, input gain and output gain.
    select: Linear,
    step_size: Linear,
    /// `[d_inner, d_state]`; the decay rates are its negated exponential.
    log_decay: Param<Tensor<2>>,
    /// `[d_inner]`; carries the token past the scan.
    skip: Param<Tensor<1>>,
    output: Linear,
    d_state: usize,
    d_step: usize,
}

#[derive(Config, Debug)]
pub struct MambaConfig {
    pub d_model: usize,
    #[config(default = 8)]
    pub d_state: usize,
    /// Taps of the convolution.
    #[config(default = 4)]
    pub d_conv: usize,
    /// Width of the block, in multiples of `d_model`.
    #[config(default = 2)]
    pub expand: usize,
}

/// What a token leaves for the next one.
#[derive(Clone, Debug)]
pub struct MambaState {
    /// The last inputs of the convolution, `[batch, d_inner, d_conv - 1]`.
    pub window: Tensor<3>,
    /// The state space, `[batch, d_inner, d_state]`.
    pub hidden: Tensor<3>,
}

impl MambaConfig {
    pub fn init(&self, device: &Device) -> Mamba {
        let d_inner = self.expand * self.d_model;
        let d_step = self.d_model.div_ceil(16);
        let linear = |from, to| LinearConfig::new(from, to).with_bias(false).init(device);
        Mamba {
            norm: RmsNormConfig::new(self.d_model).init(device),
            input: linear(self.d_model, 2 * d_inner),
            conv: Conv1dConfig::new(d_inner, d_inner, self.d_conv)
                .with_groups(d_inner)
                .init(device),
            select: linear(d_inner, d_step + 2 * self.d_state),
            step_size: LinearConfig::new(d_step, d_inner).init(device),
            log_decay: Initializer::Uniform { min: 0.0, max: 2.0 }
                .init([d_inner, self.d_state], device),
            skip: Initializer::Ones.init([d_inner], device),
            output: linear(d_inner, self.d_model),
            d_state: self.d_state,
            d_step,
        }
    }

    /// The state before the first token.
    pub fn state(&self, batch: usize, device: &Device) -> MambaState {
        let d_inner = self.expand * self.d_model;
        MambaState {
            window: Tensor::zeros([batch, d_inner, self.d_conv - 1], device),
            hidden: Tensor::zeros([batch, d_inner, self.d_state], device),
        }
    }
}

impl Mamba {
    /// `[batch, seq, d_model]` to the same shape, from `state` to the state after the last token.
    pub fn forward(&self, x: Tensor<3>, state: MambaState) -> (Tensor<3>, MambaState) {
        let [_, seq, _] = x.dims();
        let projected = self.input.forward(self.norm.forward(x.clone()));
        let [y, gate] = halves(projected);

        // Causal convolution: the window stands before the sequence, so no tap sees ahead.
        let y = Tensor::cat(vec![state.window, y.transpose()], 2);
        let [_, _, padded] = y.dims();
        let window = y.clone().narrow(2, seq, padded - seq);
        let y = silu(self.conv.forward(y).transpose());

        let (y, hidden) = self.scan(y, state.hidden);
        let y = self.output.forward(y * silu(gate));
        (x + y, MambaState { window, hidden })
    }

    /// One token, `[batch, d_model]`.
    pub fn step(&self, x: Tensor<2>, state: MambaState) -> (Tensor<2>, MambaState) {
        let (y, state) = self.forward(x.unsqueeze_dim(1), state);
        (y.squeeze_dim(1), state)
    }

    /// The selective scan of `x`, `[batch, seq, d_inner]`:
    /// `hidden = exp(step * decay) * hidden + step * b * x` and `y = c . hidden + skip * x`.
    fn scan(&self, x: Tensor<3>, mut hidden: Tensor<3>) -> (Tensor<3>, Tensor<3>) {
        let [_, seq, _] = x.dims();
        let selected = self.select.forward(x.clone());
        let step = selected.clone().narrow(2, 0, self.d_step);
        let b = selected.clone().narrow(2, self.d_step, self.d_state);
        let c = selected.narrow(2, self.d_step + self.d_state, self.d_state);

        let step = softplus(self.step_size.forward(step), 1.0).unsqueeze_dim::<4>(3);
        let decay = self.log_decay.val().exp().neg().unsqueeze::<4>();
        let decay = (step.clone() * decay).exp();
        let gain = step * b.unsqueeze_dim(2) * x.clone().unsqueeze_dim(3);

        let mut y = Vec::with_capacity(seq);
        for t in 0..seq {
            let decay = decay.clone().narrow(1, t, 1).squeeze_dim(1);
            let gain = gain.clone().narrow(1, t, 1).squeeze_dim(1);
            let c = c.clone().narrow(1, t, 1);
            hidden = decay * hidden + gain;
            y.push((hidden.clone() * c).sum_dim(2).squeeze_dim::<2>(2));
        }
        let y = Tensor::stack(y, 1) + x * self.skip.val().unsqueeze();
        (y, hidden)
    }
}

/// The two halves of the last dimension.
fn halves(x: Tensor<3>) -> [Tensor<3>; 2] {
    let [_, _, width] = x.dims();
    let half = width / 2;
    [x.clone().narrow(2, 0, half), x.narrow(2, half, half)]
}
