//! A bench that syncs after every iteration and at the end, where nothing is left to
//! print; and one whose iteration syncs half-way, so that it is two tables.

use criterion::{criterion_group, criterion_main, Criterion};
use launches::{launch, number, sync};

fn syncs(c: &mut Criterion) {
    c.bench_function("every", |b| {
        let iteration = || {
            launch(4);
            sync();
        };
        (0..number("BENCH_WARMUP_ITERS", 1)).for_each(|_| iteration());
        b.iter(iteration);
        sync();
    });
    c.bench_function("inside", |b| {
        let iteration = || {
            launch(3);
            sync();
            launch(2);
            sync();
        };
        (0..number("BENCH_WARMUP_ITERS", 1)).for_each(|_| iteration());
        b.iter(iteration);
    });
}

criterion_group!(benches, syncs);
criterion_main!(benches);
