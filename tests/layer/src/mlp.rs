use burn::nn::{Linear, LinearConfig, RmsNorm, RmsNormConfig};
use burn::prelude::*;
use burn::tensor::activation::silu;

/// The feed-forward half of a Llama layer: norm, gated up-projection (SwiGLU), down-projection,
/// residual.
#[derive(Module, Debug)]
pub struct Mlp {
    norm: RmsNorm,
    gate: Linear,
    up: Linear,
    down: Linear,
}

#[derive(Config, Debug)]
pub struct MlpConfig {
    pub d_model: usize,
    /// Width of the hidden layer, in multiples of `d_model`.
    #[config(default = 4)]
    pub expand: usize,
}

impl MlpConfig {
    pub fn init(&self, device: &Device) -> Mlp {
        let d_hidden = self.expand * self.d_model;
        let widen = LinearConfig::new(self.d_model, d_hidden).with_bias(false);
        let narrow = LinearConfig::new(d_hidden, self.d_model).with_bias(false);
        Mlp {
            norm: RmsNormConfig::new(self.d_model).init(device),
            gate: widen.init(device),
            up: widen.init(device),
            down: narrow.init(device),
        }
    }
}

impl Mlp {
    /// `[batch, seq, d_model]` to the same shape.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let y = self.norm.forward(x.clone());
        let y = silu(self.gate.forward(y.clone())) * self.up.forward(y);
        x + self.down.forward(y)
    }

    /// One token, `[batch, d_model]`; there is no state to carry.
    pub fn step(&self, x: Tensor<2>) -> Tensor<2> {
        self.forward(x.unsqueeze_dim(1)).squeeze_dim(1)
    }
}
