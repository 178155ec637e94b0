//! Launches of one iteration, block by block: a forward pass, a training step, a step of
//! inference over one token.
//!
//! A launch counter needs three things of a bench, and `case` is all of them: each warm-up
//! iteration is followed by a sync of its own, then comes the iteration that is measured, then
//! one sync more. Model and inputs are made before, so an iteration launches its own kernels and
//! no others, the same ones each time.

use std::hint::black_box;
use std::sync::Once;
use std::time::Instant;

use burn::module::AutodiffModule;
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer};
use burn::prelude::*;
use burn::tensor::Distribution;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use layer::{AttentionConfig, KeyValueCache, MambaConfig, MlpConfig};

/// The sizes of the model and its input, from the environment.
#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    seq: usize,
    dim: usize,
    heads: usize,
    state: usize,
}

/// The number that the environment gives for `name`, else `default`.
fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text:?}: expected a whole number")),
        Err(_) => default,
    }
}

impl Sizes {
    fn read() -> Self {
        Self {
            batch: setting("BENCH_BATCH", 2),
            seq: setting("BENCH_SEQ", 8),
            dim: setting("BENCH_DIM", 32),
            heads: setting("BENCH_HEADS", 2),
            state: setting("BENCH_STATE", 8),
        }
    }
}

/// One case. `build` makes the model and its inputs and returns the iteration, whose output is
/// kept until the sync, so that no kernel can be left out because nobody reads what it writes.
fn case<Iteration, Output>(
    group: &mut BenchmarkGroup<WallTime>,
    name: &str,
    build: impl Fn(&Device, Sizes) -> Iteration,
) where
    Iteration: FnMut() -> Output,
{
    let device = Device::default();
    let sync = || device.sync().expect("the device finishes its work");
    let sync_every = setting("BENCH_SYNC_EVERY", 1) as u64;
    let mut ready = None;

    group.bench_function(name, |b| {
        // Only the case that runs is built, and only once.
        let iteration = ready.get_or_insert_with(|| {
            announce(&device, Sizes::read());
            let mut iteration = build(&device, Sizes::read());
            for _ in 0..setting("BENCH_WARMUP_ITERS", 1) {
                let output = iteration();
                sync();
                drop(output);
            }
            iteration
        });

        b.iter_custom(|iterations| {
            let start = Instant::now();
            for i in 1..iterations {
                black_box(iteration());
                if sync_every != 0 && i % sync_every == 0 {
                    sync();
                }
            }
            let output = iteration();
            sync();
            drop(output);
            start.elapsed()
        });
    });
}

/// One line on stderr, once, that says what is being measured.
fn announce(device: &Device, sizes: Sizes) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Sizes { batch, seq, dim, heads, state } = sizes;
        let dtype = device.settings().float_dtype;
        eprintln!(
            "bench-config: batch={batch} seq={seq} dim={dim} heads={heads} state={state} dtype={dtype:?} device={device:?}"
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
        Self {
            model: Some(model),
            optimizer: AdamWConfig::new().init(),
        }
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
        let cache = KeyValueCache {
            key: tokens(seen, device),
            value: tokens(seen, device),
        };
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
