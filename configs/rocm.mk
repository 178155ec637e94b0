# configs/rocm.mk: ROCm through HIP.
rocm.heading    := rocm
rocm.features   := backend-rocm
rocm.device     := rocm
rocm.target-dir := target/bench-rocm
rocm.needs      := rocm
