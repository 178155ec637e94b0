"""Known numbers of launches in NVTX ranges, by the libraries that people use.

loops.py LIBRARY [N]: prints what the range "loop" must hold, where it is known.
"""

import sys
import threading

what = sys.argv[1]
n = int(sys.argv[2]) if len(sys.argv) > 2 else 500

if what == "cupy":
    import cupy
    from cupy.cuda import nvtx

    x = cupy.zeros(1000, dtype=cupy.float32)
    x += 1
    cupy.cuda.Device().synchronize()
    nvtx.RangePush("loop")
    for _ in range(n):
        x += 1
    nvtx.RangePop()
    cupy.cuda.Device().synchronize()
    print("loop", n)
elif what == "cublas":
    import cupy
    from cupy.cuda import nvtx

    a = cupy.random.rand(512, 512, dtype=cupy.float32)
    a @ a
    cupy.cuda.Device().synchronize()
    nvtx.RangePush("loop")
    for _ in range(n):
        b = a @ a
    nvtx.RangePop()
    cupy.cuda.Device().synchronize()
elif what == "cudnn":
    import torch

    torch.backends.cudnn.benchmark = False
    conv = torch.nn.Conv2d(8, 8, 3).cuda()
    x = torch.randn(4, 8, 32, 32, device="cuda")
    with torch.no_grad():
        conv(x)
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_push("loop")
        for _ in range(n):
            conv(x)
        torch.cuda.nvtx.range_pop()
        torch.cuda.synchronize()
elif what == "threads":
    import torch

    xs = [torch.zeros(1000, device="cuda") for _ in range(8)]

    def work(x):
        for _ in range(n):
            x.add_(1)

    torch.cuda.synchronize()
    torch.cuda.nvtx.range_push("loop")
    ts = [threading.Thread(target=work, args=(x,)) for x in xs]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    print("loop", 8 * n)
elif what == "triton":
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def add(x, y, out, n, block: tl.constexpr):
        i = tl.program_id(0) * block + tl.arange(0, block)
        m = i < n
        tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)

    x = torch.ones(10000, device="cuda")
    y = torch.empty_like(x)
    add[(10,)](x, x, y, 10000, block=1024)
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_push("loop")
    for _ in range(n):
        add[(10,)](x, x, y, 10000, block=1024)
    torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    print("loop", n)
elif what == "jax":
    import jax
    import jax.numpy as jnp

    @jax.jit
    def f(x):
        for _ in range(4):
            x = jnp.sin(x @ x) / jnp.linalg.norm(x, axis=0)
        return x

    x = jnp.ones((256, 256), jnp.float32)
    f(x).block_until_ready()
    for _ in range(n):
        x = f(x)
    x.block_until_ready()
else:
    sys.exit(2)
