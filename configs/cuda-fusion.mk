# configs/cuda-fusion.mk: CUDA through NVRTC, fused, and tuned on the device.
cuda-fusion.heading    := cuda + fusion + autotune
cuda-fusion.features   := backend-cuda,fusion,dev-autotune
cuda-fusion.device     := cuda
cuda-fusion.target-dir := target/bench-cuda-fusion
cuda-fusion.needs      := cuda nvrtc
cuda-fusion.tuned      := 1
