//! A bench that knows nothing of BENCH_WARMUP_ITERS: it always warms up once.

use criterion::{criterion_group, criterion_main, Criterion};
use launches::{launch, sync};

fn blocks(c: &mut Criterion) {
    c.bench_function("block", |b| {
        launch(7 + 2);
        sync();
        b.iter(|| {
            launch(7);
            sync();
        });
    });
}

criterion_group!(benches, blocks);
criterion_main!(benches);
