use burn::nn::{Linear, LinearConfig, RmsNorm, RmsNormConfig};
use burn::prelude::*;
use burn::tensor::activation::softmax;

/// The attention half of a Llama layer: norm, causal multi-head self-attention, residual.
#[derive(Module, Debug)]
pub struct Attention {
    norm: RmsNorm,
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    heads: usize,
}

#[derive(Config, Debug)]
pub struct AttentionConfig {
    pub d_model: usize,
    pub heads: usize,
}

/// Keys and values of the tokens seen so far, each `[batch, heads, seen, d_head]`.
#[derive(Clone, Debug)]
pub struct KeyValueCache {
    pub key: Tensor<4>,
    pub value: Tensor<4>,
}

impl AttentionConfig {
    pub fn init(&self, device: &Device) -> Attention {
        assert!(
            self.d_model.is_multiple_of(self.heads),
            "{} heads do not divide d_model = {}",
            self.heads,
            self.d_model
        );
        let linear = LinearConfig::new(self.d_model, self.d_model).with_bias(false);
        Attention {
            norm: RmsNormConfig::new(self.d_model).init(device),
            query: linear.init(device),
            key: linear.init(device),
            value: linear.init(device),
            output: linear.init(device),
            heads: self.heads,
        }
    }
}

impl Attention {
    /// `[batch, seq, d_model]` to the same shape. `mask` is `[1, 1, seq, seq]`, true where a
    /// query must not look.
    pub fn forward(&self, x: Tensor<3>, mask: Tensor<4, Bool>) -> Tensor<3> {
        let y = self.norm.forward(x.clone());
        let query = self.split(self.query.forward(y.clone()));
        let key = self.split(self.key.forward(y.clone()));
        let value = self.split(self.value.forward(y));
        x + self.attend(query, key, value, Some(mask))
    }

    /// One token, `[batch, d_model]`, which sees the cache and itself. Returns the cache with
    /// the token's key and value appended.
    pub fn step(&self, x: Tensor<2>, cache: KeyValueCache) -> (Tensor<2>, KeyValueCache) {
        let x = x.unsqueeze_dim(1);
        let y = self.norm.forward(x.clone());
        let query = self.split(self.query.forward(y.clone()));
        let key = self.split(self.key.forward(y.clone()));
        let value = self.split(self.value.forward(y));
        let cache = KeyValueCache {
            key: Tensor::cat(vec![cache.key, key], 2),
            value: Tensor::cat(vec![cache.value, value], 2),
        };
        let y = x + self.attend(query, cache.key.clone(), cache.value.clone(), None);
        (y.squeeze_dim(1), cache)
    }

    fn attend(
        &self,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
        mask: Option<Tensor<4, Bool>>,
    ) -> Tensor<3> {
        let [batch, heads, seq, d_head] = query.dims();
        let mut scores = query.matmul(key.transpose()) * (d_head as f64).powf(-0.5);
        if let Some(mask) = mask {
            scores = scores.mask_fill(mask, f32::NEG_INFINITY);
        }
        let y = softmax(scores, 3).matmul(value);
        let y = y.swap_dims(1, 2).reshape([batch, seq, heads * d_head]);
        self.output.forward(y)
    }

    /// `[batch, seq, d_model]` to `[batch, heads, seq, d_head]`.
    fn split(&self, x: Tensor<3>) -> Tensor<4> {
        let [batch, seq, d_model] = x.dims();
        x.reshape([batch, seq, self.heads, d_model / self.heads]).swap_dims(1, 2)
    }
}
