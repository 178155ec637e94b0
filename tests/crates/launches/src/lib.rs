//! What cubecl's profiling logger prints: a line a launch, a table a sync.

use std::sync::Mutex;

static SINCE: Mutex<u64> = Mutex::new(0);

/// Launches `n` kernels.
pub fn launch(n: u64) {
    for _ in 0..n {
        println!("| {:<10} | Kernel | f32", "1.5µs");
    }
    *SINCE.lock().expect("no launch panics") += n;
}

/// Waits for them: the table of what was launched since the last sync, if anything.
pub fn sync() {
    let n = std::mem::take(&mut *SINCE.lock().expect("no launch panics"));
    if n > 0 {
        println!("|⎺⎺⎺⎺⎺⎺| \n| Name | Duration | Num Computed | Ratio |\n|⎼⎼⎼⎼⎼⎼| ");
        println!("| Kernel | f32 | 1.5µs | {n} | 100 % |\n|⎼⎼⎼⎼⎼⎼| ");
        println!("| Total | 1.5µs | {n} | 100 % |\n|⎯⎯⎯⎯⎯⎯| \n");
    }
}

/// The number that the environment gives for `name`, or `otherwise`.
pub fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a whole number"))
}
