# configs/cuda-fused.mk: CUDA through NVRTC, operations fused.
cuda-fused.heading    := cuda + fusion
cuda-fused.features   := backend-cuda,fusion
cuda-fused.device     := cuda
cuda-fused.target-dir := target/bench-cuda-fused
cuda-fused.needs      := cuda nvrtc
