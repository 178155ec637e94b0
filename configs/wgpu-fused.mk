# configs/wgpu-fused.mk: WGSL through wgpu, operations fused.
wgpu-fused.heading    := wgpu + fusion
wgpu-fused.features   := backend-wgpu,fusion
wgpu-fused.device     := wgpu
wgpu-fused.target-dir := target/bench-wgpu-fused
wgpu-fused.needs      := vulkan
