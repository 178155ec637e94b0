//! Nothing but its benches.
