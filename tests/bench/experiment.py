"""experiment.py QKV [STEPS [CORES]] - the default `qkv compare` beside the same in
PyTorch and in JAX.

Every variant on every task is trained for STEPS steps (40) by all, one after the
other. The others have our weights, one batch that is there already, and Adam in
its fastest form; ours draws its batches. All look at two batches of validation
data every ten steps. Each setting is added up over the steps and the five seeds
of the whole experiment. On one core (CORES = 1) the processor's time is measured,
which other work on the machine spoils least, and ours is that of the whole
command; on two, time on the wall, on an idle machine: ours trains two runs at a
time, the others use two threads, or two processes if one of half the runs were
faster.

eager     PyTorch, a seed at a time; its MultiheadAttention where the variant is that
algebra   a seed at a time; matrix products and softmax for every variant
batched   five seeds at once, torch.func.vmap over their weights
compiled  the same through torch.compile (COMPILE=1: minutes of compiling)
jit       JAX, a seed at a time
vmap      five seeds at once
scan      five seeds at once, ten steps in one call
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 40
CORES = int(sys.argv[3]) if len(sys.argv) > 3 else 1
os.environ.update(OMP_NUM_THREADS=str(CORES), MKL_NUM_THREADS=str(CORES))
if CORES == 1:
    os.environ["XLA_FLAGS"] = ("--xla_cpu_multi_thread_eigen=false "
                               "intra_op_parallelism_threads=1")
sys.path.insert(0, str(Path(__file__).parents[1]))
try:
    import numpy as np
    import torch

    import in_torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit()
try:
    import in_jax
except ImportError as missing:
    in_jax = None
    print(f"bench: JAX is left out: {missing}", file=sys.stderr)

SEEDS, EVERY = 5, 10  # seeds at once; steps between two looks at validation data
FULL = {"reverse": 300, "recall": 300, "sort": 600, "induction": 600}
VARIANTS = "standard per-head fused two-step two-step-tanh full-rank symmetric"
clock = time.process_time if CORES == 1 else time.perf_counter


def loss_of(model, weights, tokens, targets):
    model.w = weights
    logits = model.logits(tokens, None)
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=-1)


def alone(model, tokens, targets):
    """Steps of one seed, and a look at validation data."""
    weights = model.w
    adam = torch.optim.Adam(weights.values(), 3e-3, fused=True)

    def steps():
        for _ in range(EVERY):
            adam.zero_grad()
            loss_of(model, weights, tokens, targets).backward()
            adam.step()

    def validate():
        with torch.no_grad():
            loss_of(model, weights, tokens, targets)

    return steps, validate


def batched(model, tokens, targets, compiled=False):
    """Those of all seeds: every weight has a leading dimension."""
    stacked = {n: w.detach().expand(SEEDS, *w.shape).clone().requires_grad_()
               for n, w in model.w.items()}
    adam = torch.optim.Adam(stacked.values(), 3e-3, fused=True)
    gradient = torch.func.vmap(
        torch.func.grad(lambda w: loss_of(model, w, tokens, targets)))
    forward = torch.func.vmap(lambda w: loss_of(model, w, tokens, targets))
    if compiled:
        gradient, forward = torch.compile(gradient), torch.compile(forward)

    def steps():
        for _ in range(EVERY):
            detached = {n: w.detach() for n, w in stacked.items()}
            for name, g in gradient(detached).items():
                stacked[name].grad = g
            adam.step()

    def validate():
        with torch.no_grad():
            forward({n: w.detach() for n, w in stacked.items()})

    return steps, validate


def time_of(steps, validate, at_once=EVERY, seeds=1):
    """Seconds of a step of one seed."""
    steps()
    validate()
    start = clock()
    for _ in range(STEPS // EVERY):
        for _ in range(EVERY // at_once):
            steps()
        validate()
        validate()
    return (clock() - start) / (STEPS // EVERY * EVERY * seeds)


def ours(qkv, task, variant, out):
    """The same of ours, and a run of it."""
    def used():
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        return u.ru_utime + u.ru_stime if CORES == 1 else clock()
    seeds = 1 if CORES == 1 else 4
    start = used()
    subprocess.run([qkv, "compare", "--no-figures", "-q", "-t", task, "-v", variant, "--steps",
                    str(10 * STEPS), "--seeds", str(seeds), "--jobs", str(CORES),
                    "--out", out], check=True, stdout=subprocess.DEVNULL)
    return (used() - start) / (10 * STEPS * seeds), min(out.glob(task + "*"))


def in_torch_settings(run, tokens, targets):
    tokens, targets = (torch.from_numpy(t).long() for t in (tokens, targets))

    def model():
        return in_torch.Model(run)

    found, usual = {}, in_torch.their_own
    found["eager"] = time_of(*alone(model(), tokens, targets))
    in_torch.their_own = lambda *call: in_torch.algebra(*call, 0)
    found["algebra"] = time_of(*alone(model(), tokens, targets))
    found["batched"] = time_of(*batched(model(), tokens, targets), seeds=SEEDS)
    if os.environ.get("COMPILE"):
        try:
            found["compiled"] = time_of(*batched(model(), tokens, targets, True),
                                        seeds=SEEDS)
        except Exception as why:  # nor will it compile those of the other variants
            print("compiled is left out:", str(why).splitlines()[0], file=sys.stderr)
            del os.environ["COMPILE"]
    in_torch.their_own = usual
    return found


def in_jax_settings(run, batch, tokens, targets):
    model = in_torch.Model(run)
    weights = {n: w.detach().numpy() for n, w in model.w.items()}
    loss = in_jax.loss_of(weights, model.c, tokens, targets)
    if not abs(loss - np.load(batch / "loss.npy")[0, 0]) < 1e-4:
        raise SystemExit(f"bench: JAX has another loss than ours in {run.name}")
    return {name: time_of(*in_jax.trainer(weights, model.c, tokens, targets, seeds,
                                          at_once), at_once, seeds)
            for name, seeds, at_once in (("jit", 1, 1), ("vmap", SEEDS, 1),
                                         ("scan", SEEDS, EVERY))}


def compare(qkv, task, variant, work):
    """Seconds of a step of one seed: ours, and the others' in each setting."""
    found = {}
    found["qkv"], run = ours(qkv, task, variant, work / f"{task}-{variant}")
    batch = work / f"{task}-{variant}" / "batch"
    subprocess.run([qkv, "export", run, "--batch", batch, "-q"], check=True)
    tokens, targets = (np.load(batch / f"{n}.npy") for n in ("tokens", "targets"))
    found |= in_torch_settings(run, tokens, targets)
    if in_jax:
        found |= in_jax_settings(run, batch, tokens, targets)
    return found


def main():
    torch.set_num_threads(CORES)
    qkv = str(Path(sys.argv[1]).resolve())
    total, all_mean = {}, {}
    for task, full in FULL.items():
        mean = {}
        for variant in VARIANTS.split():
            with tempfile.TemporaryDirectory() as work:
                found = compare(qkv, task, variant, Path(work))
            for name, seconds in found.items():
                mean.setdefault(name, []).append(seconds)
                total[name] = total.get(name, 0) + seconds * full * SEEDS
        if not all_mean:
            print("task\tms a step:", *mean, sep="\t", flush=True)
        all_mean[task] = mean
        print(task, "", *(f"{1e3 * np.mean(x):.3f}" for x in mean.values()),
              sep="\t", flush=True)
    print(f"\nthe whole experiment on {CORES} core{'s' if CORES > 1 else ''}, seconds:")
    for name, seconds in total.items():
        print(f"{name}\t{seconds:.1f}\t{seconds / total['qkv']:.1f} x ours")


if __name__ == "__main__":
    main()
