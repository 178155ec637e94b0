//! The bench of the README: warm-up iterations, each with its sync, then the one that counts.

use criterion::{criterion_group, criterion_main, Criterion};
use launches::{launch, number, sync};

fn layer(c: &mut Criterion) {
    let each = if cfg!(feature = "double") { 2 } else { 1 };
    let mut group = c.benchmark_group("forward");
    for (name, launches) in [("attention", 24), ("mlp", 18)] {
        group.bench_function(name, |b| {
            for _ in 0..number("BENCH_WARMUP_ITERS", 1) {
                launch(each * launches);
                sync();
            }
            b.iter_custom(|iterations| {
                let start = std::time::Instant::now();
                for _ in 0..iterations {
                    launch(each * launches);
                    sync();
                }
                start.elapsed()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, layer);
criterion_main!(benches);
