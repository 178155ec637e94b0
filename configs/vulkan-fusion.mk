# configs/vulkan-fusion.mk: SPIR-V through wgpu on Vulkan, fused, and tuned on the device.
vulkan-fusion.heading    := vulkan + fusion + autotune
vulkan-fusion.features   := backend-vulkan,fusion,dev-autotune
vulkan-fusion.device     := vulkan
vulkan-fusion.target-dir := target/bench-vulkan-fusion
vulkan-fusion.needs      := vulkan
vulkan-fusion.tuned      := 1
