# configs/vulkan.mk: SPIR-V through wgpu on Vulkan.
vulkan.heading    := vulkan
vulkan.features   := backend-vulkan
vulkan.device     := vulkan
vulkan.target-dir := target/bench-vulkan
vulkan.needs      := vulkan
