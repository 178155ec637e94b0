# configs/wgpu.mk: WGSL through wgpu.
wgpu.heading    := wgpu
wgpu.features   := backend-wgpu
wgpu.device     := wgpu
wgpu.target-dir := target/bench-wgpu
wgpu.needs      := vulkan
