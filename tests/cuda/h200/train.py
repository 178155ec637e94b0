"""A small training step, as many times as asked: eager, compiled, or a CUDA graph.

Prints the milliseconds of a step; with --profile, what torch.profiler saw of the
steps inside the NVTX range "measured".
"""

import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("mode", choices=["eager", "compile", "graph"])
parser.add_argument("--steps", type=int, default=50)
parser.add_argument("--warm", type=int, default=10)
parser.add_argument("--profile", action="store_true")
args = parser.parse_args()

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.Conv2d(16, 16, 3, padding=1),
    nn.Flatten(),
    nn.Linear(16 * 32 * 32, 256),
    nn.LayerNorm(256),
    nn.GELU(),
    nn.Linear(256, 10),
).cuda()
optimizer = torch.optim.AdamW(
    model.parameters(), lr=1e-3, foreach=False, capturable=args.mode == "graph"
)
x = torch.randn(64, 3, 32, 32, device="cuda")
y = torch.randint(0, 10, (64,), device="cuda")


def plain():
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


step = plain
if args.mode == "compile":
    compiled = torch.compile(model)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(compiled(x), y)
        loss.backward()
        optimizer.step()
        return loss


if args.mode == "graph":
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            plain()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = plain()

    def step():
        graph.replay()
        return captured


for _ in range(args.warm):
    step()
torch.cuda.synchronize()

profile = None
if args.profile:
    profile = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    )
    profile.__enter__()
torch.cuda.nvtx.range_push("measured")
# The least of blocks of 25 steps: what disturbs a block is not the step's.
took = []
for at in range(args.steps):
    if at % 25 == 0:
        begin = time.perf_counter()
    torch.cuda.nvtx.range_push("step")
    step()
    torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    if at % 25 == 24:
        took.append((time.perf_counter() - begin) / 25)
torch.cuda.nvtx.range_pop()
if took:
    print(f"ms {min(took) * 1000:.4f}", flush=True)
if profile is not None:
    import json
    import os
    import tempfile

    profile.__exit__(None, None, None)
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "trace.json")
        profile.export_chrome_trace(path)
        with open(path) as f:
            events = json.load(f)["traceEvents"]
    n = {c: sum(e.get("cat") == c for e in events) for c in ("kernel", "gpu_memset", "gpu_memcpy")}
    print(f"profiler kernels {n['kernel']} memset {n['gpu_memset']} memcpy {n['gpu_memcpy']}", flush=True)
