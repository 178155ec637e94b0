# configs/metal.mk: Metal through wgpu.
metal.heading    := metal
metal.features   := backend-metal
metal.device     := metal
metal.target-dir := target/bench-metal
metal.needs      := metal
