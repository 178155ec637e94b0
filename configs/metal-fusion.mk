# configs/metal-fusion.mk: Metal through wgpu, fused, and tuned on the device.
metal-fusion.heading    := metal + fusion + autotune
metal-fusion.features   := backend-metal,fusion,dev-autotune
metal-fusion.device     := metal
metal-fusion.target-dir := target/bench-metal-fusion
metal-fusion.needs      := metal
metal-fusion.tuned      := 1
