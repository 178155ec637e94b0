//! Three blocks that sequence models are stacked from. Each has a `forward` over a whole
//! sequence and a `step` over one token, which carries its state from call to call.

mod attention;
mod mamba;
mod mlp;

pub use attention::{Attention, AttentionConfig, KeyValueCache};
pub use mamba::{Mamba, MambaConfig, MambaState};
pub use mlp::{Mlp, MlpConfig};
