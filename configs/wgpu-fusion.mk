# configs/wgpu-fusion.mk: WGSL through wgpu, fused, and tuned on the device.
wgpu-fusion.heading    := wgpu + fusion + autotune
wgpu-fusion.features   := backend-wgpu,fusion,dev-autotune
wgpu-fusion.device     := wgpu
wgpu-fusion.target-dir := target/bench-wgpu-fusion
wgpu-fusion.needs      := vulkan
wgpu-fusion.tuned      := 1
