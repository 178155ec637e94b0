# configs/metal-fused.mk: Metal through wgpu, operations fused.
metal-fused.heading    := metal + fusion
metal-fused.features   := backend-metal,fusion
metal-fused.device     := metal
metal-fused.target-dir := target/bench-metal-fused
metal-fused.needs      := metal
