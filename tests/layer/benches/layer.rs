//! One iteration of each block: a forward pass, a training step, a step of inference over one
//! token.
//!
//! `case` is what a launch counter asks of a bench: warm-up iterations, each followed by a sync
//! of its own, then the measured iteration, then one sync more. The model and its inputs are made
//! before all of them, so an iteration launches its own kernels, the same ones every time.

use std::str::FromStr;
use std::sync::Once;
use std::time::Instant;

use burn::module::AutodiffModule;
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer};
use burn::prelude::*;
use burn::tensor::Distribution;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use layer::{AttentionConfig, KeyValueCache, MambaConfig, MlpConfig};

/// A case of `group`. `build` makes the model and its inputs, and returns the iteration.
fn case<Iteration, Output>(
    group: &mut BenchmarkGroup<WallTime>,
    name: &str,
    build: impl Fn(&Device, Sizes) -> Iteration,
) where
    Iteration: FnMut() -> Output,
{
    let device = Device::default();
    let sizes = Sizes::from_env();
    let warmup_iters = number("BENCH_WARMUP_ITERS", 1_u32);
    let sync_every = number("BENCH_SYNC_EVERY", 1_u64);
    let mut ready = None;

    group.bench_function(name, |b| {
        // Here, and not above, so that a case which the filter leaves out is not built.
        let iteration = ready.get_or_insert_with(|| {
            announce(&device, sizes);
            let mut iteration = build(&device, sizes);
            for _ in 0..warmup_iters {
                finish(&device, iteration());
            }
            iteration
        });

        // `--test` asks for one iteration, so its only sync is the last one. No number but 0 is a
        // multiple of 0, which makes that so for any number of iterations.
        b.iter_custom(|iterations| {
            let start = Instant::now();
            for i in 1..iterations {
                let output = iteration();
                if i.is_multiple_of(sync_every) {
                    finish(&device, output);
                }
            }
            finish(&device, iteration());
            start.elapsed()
        });
    });
}

/// Waits until the device has done its work. `output` lives till then: fusion may leave out a
/// kernel that writes what nobody can read any more.
fn finish<Output>(device: &Device, output: Output) {
    device.sync().expect("the device ends its work without an error");
    drop(output);
}

/// What the environment says about the model and its input.
#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    seq: usize,
    dim: usize,
    heads: usize,
    state: usize,
}

impl Sizes {
    fn from_env() -> Self {
        Self {
            batch: number("BENCH_BATCH", 2),
            seq: number("BENCH_SEQ", 8),
            dim: number("BENCH_DIM", 32),
            heads: number("BENCH_HEADS", 2),
            state: number("BENCH_STATE", 8),
        }
    }
}

/// The value of the environment variable `name`, or `default` where it is not set.
fn number<N: FromStr>(name: &str, default: N) -> N {
    match std::env::var(name) {
        Ok(text) => {
            text.parse().unwrap_or_else(|_| panic!("{name}={text}: expected a whole number"))
        }
        Err(_) => default,
    }
}

/// Says on stderr, once, what is measured.
fn announce(device: &Device, sizes: Sizes) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Sizes { batch, seq, dim, heads, state } = sizes;
        let dtype = format!("{:?}", device.settings().float_dtype).to_lowercase();
        let device = device.as_dispatch();
        eprintln!(
            "bench-config: batch={batch} seq={seq} dim={dim} heads={heads} state={state} \
             dtype={dtype} device={device:?}"
        );
    });
}

fn tokens<const D: usize>(shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::random(shape, Distribution::Normal(0.0, 1.0), device)
}

fn causal_mask(seq: usize, device: &Device) -> Tensor<4, Bool> {
    Tensor::<2, Bool>::tril_mask([seq, seq], 0, device).unsqueeze()
}

fn forward(c: &mut Criterion) {
    let mut group = c.benchmark_group("forward");
    case(&mut group, "mamba", |device, s| {
        let config = MambaConfig::new(s.dim).with_d_state(s.state);
        let block = config.init(device);
        let state = config.state(s.batch, device);
        let x = tokens([s.batch, s.seq, s.dim], device);
        move || block.forward(x.clone(), state.clone())
    });
    case(&mut group, "attention", |device, s| {
        let block = AttentionConfig::new(s.dim, s.heads).init(device);
        let mask = causal_mask(s.seq, device);
        let x = tokens([s.batch, s.seq, s.dim], device);
        move || block.forward(x.clone(), mask.clone())
    });
    case(&mut group, "mlp", |device, s| {
        let block = MlpConfig::new(s.dim).init(device);
        let x = tokens([s.batch, s.seq, s.dim], device);
        move || block.forward(x.clone())
    });
    group.finish();
}

/// A model under training. It is taken out for each iteration, since the optimizer consumes it
/// and returns the next one.
struct Training<M> {
    model: Option<M>,
    optimizer: ModuleOptimizer,
}

impl<M: AutodiffModule> Training<M> {
    fn new(model: M) -> Self {
        Self { model: Some(model), optimizer: AdamWConfig::new().init() }
    }

    /// Forward pass, backward pass, AdamW. Returns the loss.
    fn iteration(&mut self, forward: impl Fn(&M) -> Tensor<3>) -> Tensor<1> {
        let model = self.model.take().expect("each iteration leaves a model");
        let loss = forward(&model).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        self.model = Some(self.optimizer.step(1e-3, model, gradients));
        loss
    }
}

fn train(c: &mut Criterion) {
    let mut group = c.benchmark_group("train");
    case(&mut group, "mamba", |device, s| {
        let device = &device.clone().autodiff();
        let config = MambaConfig::new(s.dim).with_d_state(s.state);
        let mut training = Training::new(config.init(device));
        let state = config.state(s.batch, device);
        let x = tokens([s.batch, s.seq, s.dim], device);
        move || training.iteration(|block| block.forward(x.clone(), state.clone()).0)
    });
    case(&mut group, "attention", |device, s| {
        let device = &device.clone().autodiff();
        let mut training = Training::new(AttentionConfig::new(s.dim, s.heads).init(device));
        let mask = causal_mask(s.seq, device);
        let x = tokens([s.batch, s.seq, s.dim], device);
        move || training.iteration(|block| block.forward(x.clone(), mask.clone()))
    });
    case(&mut group, "mlp", |device, s| {
        let device = &device.clone().autodiff();
        let mut training = Training::new(MlpConfig::new(s.dim).init(device));
        let x = tokens([s.batch, s.seq, s.dim], device);
        move || training.iteration(|block| block.forward(x.clone()))
    });
    group.finish();
}

/// One token after a sequence of `BENCH_SEQ`. The state is not carried on, so that every
/// iteration meets the same shapes.
fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    case(&mut group, "mamba", |device, s| {
        let config = MambaConfig::new(s.dim).with_d_state(s.state);
        let block = config.init(device);
        let state = config.state(s.batch, device);
        let x = tokens([s.batch, s.dim], device);
        move || block.step(x.clone(), state.clone())
    });
    case(&mut group, "attention", |device, s| {
        let block = AttentionConfig::new(s.dim, s.heads).init(device);
        let seen = [s.batch, s.heads, s.seq, s.dim / s.heads];
        let cache = KeyValueCache { key: tokens(seen, device), value: tokens(seen, device) };
        let x = tokens([s.batch, s.dim], device);
        move || block.step(x.clone(), cache.clone())
    });
    case(&mut group, "mlp", |device, s| {
        let block = MlpConfig::new(s.dim).init(device);
        let x = tokens([s.batch, s.dim], device);
        move || block.step(x.clone())
    });
    group.finish();
}

criterion_group!(benches, forward, train, step);
criterion_main!(benches);
