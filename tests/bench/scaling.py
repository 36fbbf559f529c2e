"""scaling.py BUILD [PEER ...] - how time and memory grow: of a training step with tokens,
width, layers and heads, of an experiment with its seeds, of an answer with the runs
on disk. BUILD/scaling has the table, the exponents and the figures; PyTorch and JAX
are beside ours where they are there, or those that are named. About ten minutes.

A step is that of a causal decoder with pre-norm, an MLP and one sequence, on one
core. Times are the processor's, medians of three, so that other work on the
machine spoils them little; ours of a step is what more steps of a run take more.
Memory is the peak of the process beyond that of one with the smallest model."""

import itertools
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1",
                  XLA_FLAGS="--xla_cpu_multi_thread_eigen=false "
                            "intra_op_parallelism_threads=1")

SECONDS = 0.2  # of one measurement
SHAPES = {  # axis: tokens, width, layers, heads, of which None goes through these
    "tokens": ((None, 64, 1, 4), (64, 256, 512, 1024, 2048, 4096)),
    "width": ((64, None, 1, 4), (32, 64, 128, 256, 512, 1024)),
    "layers": ((64, 64, None, 4), (1, 2, 4, 8, 16, 32)),
    "heads": ((64, 256, 1, None), (1, 2, 4, 8, 16, 32)),
}
PEERS = {"PyTorch": "torch", "JAX": "jax"}
SMALLEST = (2, 4, 1, 1)
SEEDS, RUNS = (1, 2, 4, 8, 16, 32), (10, 100, 1000, 10000)
TINY = ("--steps 1 --length 2 --d-model 4 --heads 1 --batch 1 --validate 1 --test 1 "
        "--no-weights")
FITTED = 4  # the last points, through which the line is drawn
STUDENT = 4.303  # t at 97.5%, of FITTED - 2 degrees of freedom
PLOTS = Path(__file__).parents[2] / "plots"


def used(*command):
    """The processor's seconds of a command."""
    def so_far():
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        return u.ru_utime + u.ru_stime
    begun = so_far()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return so_far() - begun


def of_three(measure):
    return statistics.median(measure() for _ in range(3))


def train(qkv, steps, shape):
    """Seconds of a run, and the most bytes that it held."""
    t, d, layers, heads = map(str, shape)
    with tempfile.TemporaryDirectory() as out:
        seconds = used(qkv, "train", "-q", "-t", "reverse", "--mask", "causal",
                       "--norm", "pre", "--mlp", "4", "--symbols", "64", "--batch", "1",
                       "--validate", "1", "--test", "1", "--no-weights",
                       "--steps", str(steps), "--log-every", str(steps),
                       "--length", t, "--d-model", d, "--layers", layers,
                       "--heads", heads, "-o", out + "/x")
        rows = next(Path(out).glob("x/reverse*/timing.tsv")).read_text()
    return seconds, int(dict(r.split("\t") for r in rows.splitlines())["peak_bytes"])


def ours(qkv, shape):
    """Seconds of a step, and the peak."""
    steps = max(2, int(8 * SECONDS / (train(qkv, 8, shape)[0] + 0.004)))
    seconds = of_three(lambda: (train(qkv, steps + 1, shape)[0] -
                                train(qkv, 1, shape)[0]) / steps)
    return seconds, train(qkv, 2, shape)[1]


def peer(who, shape):
    """The same of PyTorch or JAX, in this process."""
    sys.path.insert(0, str(Path(__file__).parent))
    import peers

    def step_of(t, d, layers, heads):
        config = (64, d, heads, layers, t, 1, 4)
        return peers.jax_step(config) if who == "JAX" else peers.torch_step(config, False)

    def peak():
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def speed():
        begun, count = time.process_time(), 0
        while (passed := time.process_time() - begun) < SECONDS:
            step()
            count += 1
        return passed / count

    step_of(*SMALLEST)()
    before, step = peak(), step_of(*shape)
    step()
    step()
    return of_three(speed), peak() - before


def grow_steps(qkv, others):
    smallest = train(qkv, 2, SMALLEST)[1]
    for axis, (shape, values) in SHAPES.items():
        for x in values:
            at = [x if s is None else s for s in shape]
            seconds, most = ours(qkv, at)
            yield axis, "qkv", x, seconds, most - smallest
            for who in others:
                said = subprocess.run([sys.executable, __file__, who, *map(str, at)],
                                      check=True, capture_output=True, text=True)
                yield axis, who, x, *map(float, said.stdout.split())


def grow_experiments(qkv):
    with tempfile.TemporaryDirectory() as work:
        def compare(*more):
            return used(qkv, "compare", "-q", "-t", "reverse", "-v", "standard",
                        "--no-figures", "-o", work + "/x", *more)

        def anew(*more):
            shutil.rmtree(work + "/x", ignore_errors=True)
            return compare(*more)

        for x in SEEDS:
            yield "seeds", "qkv", x, of_three(
                lambda: anew("--steps", "40", "--seeds", str(x))), "NA"
        shutil.rmtree(work + "/x")
        for x in RUNS:
            grid = TINY.split() + ["--seeds", str(x)]
            compare(*grid)
            yield "runs", "qkv", x, of_three(lambda: compare(*grid)), "NA"


def fit(points):
    """The exponent of a power of x, its 95% interval, the factor, and from which x:
    least squares through logarithms."""
    last = points[-FITTED:]
    x, y = [math.log(p[0]) for p in last], [math.log(max(p[1], 1e-9)) for p in last]
    line = statistics.linear_regression(x, y)
    mean = statistics.fmean(x)
    rest = sum((b - line.slope * a - line.intercept) ** 2 for a, b in zip(x, y))
    off = STUDENT * math.sqrt(rest / (len(x) - 2) / sum((a - mean) ** 2 for a in x))
    return (line.slope, line.slope - off, line.slope + off, math.exp(line.intercept),
            last[0][0])


def exponents(rows):
    keys = dict.fromkeys((r[0], r[1]) for r in rows)
    for axis, who in keys:
        for quantity, column in (("seconds", 3), ("bytes", 4)):
            points = [(r[2], r[column]) for r in rows
                      if (r[0], r[1]) == (axis, who) and r[column] != "NA"]
            if points:
                yield axis, who, quantity, *fit(points)


def write(path, header, rows):
    with open(path, "w") as f:
        for row in [header.split(), *rows]:
            print(*(f"{x:.6g}" if isinstance(x, float) else x for x in row),
                  sep="\t", file=f)


def draw(out, name, quantity, title, label, axes, whos):
    script = (f"name = '{name}'\nquantity = '{quantity}'\naxes_ = '{axes}'\n"
              f"whos = '{whos}'\n$title << END\n|{title}\nEND\n"
              f"$ylabel << END\n|{label}\nEND\n"
              "data = 'scaling.tsv'\nfits = 'exponents.tsv'\n")
    script += "".join((PLOTS / f).read_text() for f in ("style.gp", "scaling.gp"))
    (out / f"{name}.gp").write_text(script)
    if shutil.which("gnuplot"):
        for term in "svg", "pdf":
            subprocess.run(["gnuplot", "-e", f"term='{term}'", f"{name}.gp"], cwd=out,
                           check=True, stderr=subprocess.DEVNULL)


def is_there(module):
    found = subprocess.run([sys.executable, "-c", f"import {module}"],
                           capture_output=True).returncode == 0
    if not found:
        print(f"scaling: {module} is left out: {sys.executable} has none",
              file=sys.stderr)
    return found


def main():
    if sys.argv[1] in PEERS:
        print(*peer(sys.argv[1], [int(x) for x in sys.argv[2:]]))
        return
    qkv, out = str(Path(sys.argv[1], "qkv").resolve()), Path(sys.argv[1], "scaling")
    others = [who for who in sys.argv[2:] or PEERS if is_there(PEERS[who])]
    out.mkdir(exist_ok=True)
    rows = []
    for row in itertools.chain(grow_experiments(qkv), grow_steps(qkv, others)):
        rows.append(row)
        write(out / "scaling.tsv", "axis who x seconds bytes", rows)
    write(out / "exponents.tsv", "axis who quantity exponent low high factor from",
          exponents(rows))
    whos = " ".join(["qkv", *others])
    draw(out, "time", "seconds", "How time grows", "milliseconds of the processor",
         "tokens width layers heads seeds runs", whos)
    draw(out, "memory", "bytes", "How memory grows", "MB", "tokens width layers heads", whos)
    print((out / "exponents.tsv").read_text(), end="")


if __name__ == "__main__":
    main()
