# configs/cpu.mk: cubecl's CPU runtime (its build fetches LLVM).
cpu.heading    := cpu
cpu.features   := backend-cpu
cpu.device     := cpu
cpu.target-dir := target/bench-cpu
