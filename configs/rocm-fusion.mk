# configs/rocm-fusion.mk: ROCm through HIP, fused, and tuned on the device.
rocm-fusion.heading    := rocm + fusion + autotune
rocm-fusion.features   := backend-rocm,fusion,dev-autotune
rocm-fusion.device     := rocm
rocm-fusion.target-dir := target/bench-rocm-fusion
rocm-fusion.needs      := rocm
rocm-fusion.tuned      := 1
