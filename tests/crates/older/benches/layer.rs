//! A bench that syncs in every iteration, and sets up what it launches.

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion};
use launches::{launch, number, sync};

fn layer(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    for tokens in [1, 4] {
        group.bench_with_input(BenchmarkId::new("decode", tokens), &tokens, |b, &tokens| {
            launch(5);
            for _ in 0..number("BENCH_WARMUP_ITERS", 1) {
                launch(11 * tokens);
                sync();
            }
            b.iter(|| {
                launch(11 * tokens);
                sync();
            });
        });
    }
    group.finish();
}

criterion_group!(benches, layer);
criterion_main!(benches);
