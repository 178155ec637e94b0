# configs/cuda.mk: CUDA through NVRTC.
cuda.heading    := cuda
cuda.features   := backend-cuda
cuda.device     := cuda
cuda.target-dir := target/bench-cuda
cuda.needs      := cuda nvrtc
