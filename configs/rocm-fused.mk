# configs/rocm-fused.mk: ROCm through HIP, operations fused.
rocm-fused.heading    := rocm + fusion
rocm-fused.features   := backend-rocm,fusion
rocm-fused.device     := rocm
rocm-fused.target-dir := target/bench-rocm-fused
rocm-fused.needs      := rocm
