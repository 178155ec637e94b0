# configs/vulkan-fused.mk: SPIR-V through wgpu on Vulkan, operations fused.
vulkan-fused.heading    := vulkan + fusion
vulkan-fused.features   := backend-vulkan,fusion
vulkan-fused.device     := vulkan
vulkan-fused.target-dir := target/bench-vulkan-fused
vulkan-fused.needs      := vulkan
