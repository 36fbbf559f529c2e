"""experiment.py QKV [STEPS] - the default `qkv compare` beside the same in PyTorch.

Every variant on every task is trained for STEPS steps (40) by both, on one core,
one after the other, so that a noisy machine spoils both alike. PyTorch has our
weights, one batch that is there already, and Adam in its fused form; ours draws
its batches. Both look at two batches of validation data every ten steps. Each setting of PyTorch's is added up over the steps
and the five seeds of the whole experiment:

eager    a seed at a time; torch.nn.MultiheadAttention where the variant is that
algebra  a seed at a time; matrix products and softmax for every variant
batched  five seeds at once, torch.func.vmap over their weights
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
try:
    import numpy as np
    import torch

    import in_torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit()

SEEDS = 5
FULL = {"reverse": 300, "recall": 300, "sort": 600, "induction": 600}
VARIANTS = "standard per-head fused two-step two-step-tanh full-rank symmetric"


def seconds_of(run):
    rows = (run / "timing.tsv").read_text().splitlines()
    return float(dict(r.split("\t") for r in rows[1:])["seconds"])


def loss_of(model, weights, tokens, targets):
    model.w = weights
    logits = model.logits(tokens, None)
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=-1)


def alone(model, tokens, targets):
    """A step of one seed."""
    weights = model.w
    adam = torch.optim.Adam(weights.values(), 3e-3, fused=True)

    def step():
        adam.zero_grad()
        loss_of(model, weights, tokens, targets).backward()
        adam.step()

    def validate():
        loss_of(model, weights, tokens, targets)

    return step, validate


def batched(model, tokens, targets):
    """A step of all seeds: every weight has a leading dimension."""
    stacked = {n: w.detach().expand(SEEDS, *w.shape).clone().requires_grad_()
               for n, w in model.w.items()}
    adam = torch.optim.Adam(stacked.values(), 3e-3, fused=True)
    gradient = torch.func.vmap(
        torch.func.grad(lambda w: loss_of(model, w, tokens, targets)))

    def step():
        detached = {n: w.detach() for n, w in stacked.items()}
        for name, g in gradient(detached).items():
            stacked[name].grad = g
        adam.step()

    forward = torch.func.vmap(lambda w: loss_of(model, w, tokens, targets))

    def validate():
        forward({n: w.detach() for n, w in stacked.items()})

    return step, validate


def time_of(work, steps):
    step, validate = work
    for _ in range(3):
        step()
    start = time.perf_counter()
    for i in range(steps):
        step()
        if i % 10 == 9:
            with torch.no_grad():
                validate()
                validate()
    return (time.perf_counter() - start) / steps


def compare(qkv, task, variant, steps, work):
    """Seconds of a step of one seed: ours, and PyTorch's in each setting."""
    out = work / f"{task}-{variant}"
    subprocess.run([qkv, "train", "-q", "-t", task, "-v", variant, "--steps",
                    str(10 * steps), "--out", out], check=True,
                   stdout=subprocess.DEVNULL)
    run = next(out.glob(task + "*"))
    batch = out / "batch"
    subprocess.run([qkv, "export", run, "--batch", batch, "-q"], check=True)
    tokens = in_torch.read(batch / "tokens.npy").long()
    targets = in_torch.read(batch / "targets.npy").long()
    found = {"qkv": seconds_of(run) / (10 * steps)}
    usual = in_torch.their_own
    found["eager"] = time_of(alone(in_torch.Model(run), tokens, targets), steps)
    in_torch.their_own = in_torch.algebra
    found["algebra"] = time_of(alone(in_torch.Model(run), tokens, targets), steps)
    found["batched"] = time_of(
        batched(in_torch.Model(run), tokens, targets), steps) / SEEDS
    in_torch.their_own = usual
    return found


def main():
    torch.set_num_threads(1)
    qkv = str(Path(sys.argv[1]).resolve())
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    total = {}
    print("task\tms a step: qkv\teager\talgebra\tbatched")
    with tempfile.TemporaryDirectory() as work:
        for task, full in FULL.items():
            mean = {}
            for variant in VARIANTS.split():
                found = compare(qkv, task, variant, steps, Path(work))
                for name, seconds in found.items():
                    mean.setdefault(name, []).append(seconds)
                    total[name] = total.get(name, 0) + seconds * full * SEEDS
            print(task, *(f"{1e3 * np.mean(x):.2f}" for x in mean.values()),
                  sep="\t")
    print("\nthe whole experiment on one core, seconds:")
    for name, seconds in total.items():
        print(f"{name}\t{seconds:.0f}\t{seconds / total['qkv']:.1f} x ours")


if __name__ == "__main__":
    main()
