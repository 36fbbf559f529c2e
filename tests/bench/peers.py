"""peers.py QKV [ROUNDS] - the speed of training, ours against PyTorch's, eager and
compiled, and JAX's, on one core, in turns. Nothing else tells how fast it may be.

Forward, backward and Adam of a decoder with pre-norm and learned positions, no
biases but LayerNorm's, on one fixed batch. Everybody is warm: the first three steps
do not count, and a measurement takes a second at least. A round measures everybody
once, configuration by configuration, so that a noisy machine spoils all alike; what
is printed are medians over rounds, in tokens a second, the ratio of ours to the
fastest of the others in each round (median, least, most), and `peak`: the share of
what this core can do in fused multiply-adds, measured in the same round. A peer that
is not installed is left out."""

import glob
import os
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
try:
    import torch
    from torch import nn
    from torch.nn import functional as F
    torch.set_num_threads(1)
except ImportError as error:
    torch = None
    print(f"bench: PyTorch is left out ({error})", file=sys.stderr)

try:
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    import jax
    from jax import numpy as jnp
except ImportError as error:
    jax = None
    print(f"bench: JAX is left out ({error})", file=sys.stderr)

CONFIGS = {  # vocabulary, d_model, heads, layers, tokens, batch, mlp
    "tiny": (64, 32, 4, 1, 16, 32, 4),
    "tiny-b1": (64, 32, 4, 1, 16, 1, 4),
    "tiny-no-mlp": (64, 32, 4, 1, 16, 32, 0),
    "toy": (64, 64, 4, 2, 32, 32, 4),
    "small": (96, 128, 4, 4, 64, 32, 4),
    "paper": (1024, 512, 8, 2, 128, 8, 4),
    "layer": (64, 512, 8, 1, 512, 4, 0),
}
SECONDS = 1  # of one measurement
WARM = 3  # steps before it

# Fused multiply-adds on vectors, as many chains as hide their latency. Each chain
# begins with another number, or the compiler would compute one of them for all.
PEAK = """
#include <stdio.h>
#include <time.h>
#ifdef __AVX512F__
enum { BYTES = 64 };
#else
enum { BYTES = 32 };
#endif
typedef float V __attribute__((vector_size(BYTES)));
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void)
{
    V sum[12], factor = (V){0} + .999f;
    for (int i = 0; i < 12; i++)
        sum[i] = (V){0} + (float)i;
    const double start = now();
    const long steps = 20000000;
    for (long k = 0; k < steps; k++)
        for (int i = 0; i < 12; i++)
            sum[i] = sum[i] * factor + factor;
    const double seconds = now() - start;
    float all = 0;
    for (int i = 0; i < 12; i++)
        all += sum[i][0];
    printf("%g %g\\n", 2. * 12 * steps * sizeof(V) / sizeof(float) / seconds, all);
}
"""


def peak_program(folder):
    """Compiles PEAK in a folder for $ARCH, as the Makefile does, and returns its path."""
    source, program = folder + "/peak.c", folder + "/peak"
    with open(source, "w") as file:
        file.write(PEAK)
    subprocess.run(["cc", "-O3", os.environ.get("ARCH", "-march=native"), "-mprefer-vector-width=512", "-ffp-contract=fast",
                    source, "-o", program], check=True)
    return program


def peak(program):
    """FLOPs a second of one core, now."""
    return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()[0])


def operations(config):
    """FLOPs of training a token: three times those of forward's products."""
    v, d, _, layers, t, _, mlp = config
    attention = 4 * d * d + 2 * d * (t + 1) / 2
    return 3 * 2 * (layers * (attention + 2 * mlp * d * d) + d * v)


def attention(d, h):
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(d, 3 * d, bias=False)
            self.out = nn.Linear(d, d, bias=False)

        def forward(self, x):
            b, t, _ = x.shape
            q, k, v = (z.view(b, t, h, d // h).transpose(1, 2)
                       for z in self.qkv(x).chunk(3, -1))
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(a.transpose(1, 2).reshape(b, t, d))

    return Attention()


def decoder(v, d, h, layers, t, mlp):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.attention = attention(d, h)
            if mlp:
                self.up = nn.Linear(d, mlp * d, bias=False)
                self.down = nn.Linear(mlp * d, d, bias=False)

        def forward(self, x):
            x = x + self.attention(self.norm1(x))
            if mlp:
                up = F.gelu(self.up(self.norm2(x)), approximate="tanh")
                x = x + self.down(up)
            return x

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(v, d)
            self.positions = nn.Parameter(torch.randn(t, d))
            self.blocks = nn.Sequential(*(Block() for _ in range(layers)))
            self.norm = nn.LayerNorm(d)
            self.unembedding = nn.Linear(d, v, bias=False)

        def forward(self, ids, targets):
            x = self.blocks(self.embedding(ids) + self.positions)
            logits = self.unembedding(self.norm(x))
            return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    return Decoder()


def torch_step(config, made):
    """A step of PyTorch; made(model) is how it runs."""
    v, d, h, layers, t, b, mlp = config
    model = decoder(v, d, h, layers, t, mlp)
    run = made(model)
    adam = torch.optim.Adam(model.parameters(), 3e-3, fused=True)
    ids, targets = (torch.randint(v, (b, t)) for _ in range(2))

    def step():
        adam.zero_grad()
        run(ids, targets).backward()
        adam.step()
    return step


def jax_step(config):
    """A step of JAX, compiled whole."""
    v, d, h, layers, t, b, mlp = config
    key = iter(jax.random.split(jax.random.key(0), 64))

    def weight(rows, cols):
        return jax.random.normal(next(key), (rows, cols)) / rows ** .5

    def block():
        made = {"qkv": weight(d, 3 * d), "out": weight(d, d), "gain1": jnp.ones(d), "bias1": jnp.zeros(d)}
        if mlp:
            made |= {"up": weight(d, mlp * d), "down": weight(mlp * d, d),
                     "gain2": jnp.ones(d), "bias2": jnp.zeros(d)}
        return made

    def norm(x, gain, bias):
        centred = x - x.mean(-1, keepdims=True)
        return centred / jnp.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5) * gain + bias

    def heads(x):
        return x.reshape(b, t, h, d // h).transpose(0, 2, 1, 3)

    def loss(w, ids, targets):
        mask = jnp.tril(jnp.ones((t, t), bool))
        x = w["embedding"][ids] + w["positions"]
        for a in w["blocks"]:
            q, k, values = (heads(z) for z in jnp.split(norm(x, a["gain1"], a["bias1"]) @ a["qkv"], 3, -1))
            scores = jnp.where(mask, q @ k.swapaxes(2, 3) / (d // h) ** .5, -jnp.inf)
            mixed = (jax.nn.softmax(scores) @ values).transpose(0, 2, 1, 3).reshape(b, t, d)
            x = x + mixed @ a["out"]
            if mlp:
                x = x + jax.nn.gelu(norm(x, a["gain2"], a["bias2"]) @ a["up"]) @ a["down"]
        logits = norm(x, w["gain"], w["bias"]) @ w["unembedding"]
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], -1)
        return -chosen.mean()

    def adam(w, m, s, n, ids, targets):
        g = jax.grad(loss)(w, ids, targets)
        m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, g)
        s = jax.tree.map(lambda s, g: .999 * s + .001 * g * g, s, g)
        rate = 3e-3 * jnp.sqrt(1 - .999 ** n) / (1 - .9 ** n)
        return jax.tree.map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), w, m, s), m, s, n + 1

    w = {"embedding": weight(v, d), "positions": weight(t, d), "blocks": [block() for _ in range(layers)],
         "gain": jnp.ones(d), "bias": jnp.zeros(d), "unembedding": weight(d, v)}
    zero = jax.tree.map(jnp.zeros_like, w)
    now = [w, zero, zero, jnp.float32(1)]
    ids, targets = (jax.random.randint(next(key), (b, t), 0, v) for _ in range(2))
    compiled = jax.jit(adam, donate_argnums=(0, 1, 2))
    now[2] = jax.tree.map(jnp.zeros_like, w)

    def step():
        now[:] = compiled(*now, ids, targets)
        jax.block_until_ready(now[3])
    return step


def speed(step, tokens):
    start, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - start) < SECONDS:
        step()
        count += 1
    return tokens * count / passed


def seconds_of(qkv, config, steps):
    """Seconds that a run of that many steps trains."""
    names = ["symbols", "d-model", "heads", "layers", "length", "batch", "mlp"]
    shape = [f"--{name}={value}" for name, value in zip(names, config)]
    shape += ["--norm=pre", "--mask=causal", "--positions=learned", "--threads=1", "--validate=1", "--test=1",
              "--log-every=1000000"]
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([qkv, "train", "-q", "--no-weights", f"--steps={steps}", "-o", out] + shape,
                       check=True, capture_output=True)
        timing, = glob.glob(out + "/*/timing.tsv")
        with open(timing) as file:
            rate = float(dict(line.split() for line in file)["tokens_per_second"])
    return steps * config[4] * config[5] / rate


def ours(qkv, config):
    """Tokens a second, once warm: of a run, less a run of the first steps only."""
    more = 10
    while True:
        few, many = (seconds_of(qkv, config, WARM + n) for n in (0, more))
        if many - few >= SECONDS:
            return more * config[4] * config[5] / (many - few)
        more = max(2 * more, int(1.2 * more * SECONDS / max(many - few, 1e-3)))


def peers():
    """The step of each peer that is here, by name: config -> step."""
    made = {}
    if torch:
        made["eager"] = lambda config: torch_step(config, lambda model: model)
        made["compiled"] = lambda config: torch_step(config, torch.compile)
    if jax:
        made["jax"] = jax_step
    return made


def main():
    qkv, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if (load := os.getloadavg()[0]) > 0.2:
        print(f"bench: the load of this machine is {load:.1f}: ratios may be off; "
              "try again when it is idle", file=sys.stderr)
    makers = peers()
    steps = {}
    for peer, made in list(makers.items()):
        try:
            for name, config in CONFIGS.items():
                steps[name, peer] = made(config)
                for _ in range(WARM):
                    steps[name, peer]()
        except Exception as error:  # compile wants a compiler
            print(f"bench: {peer} is left out ({str(error)[:60]!r})", file=sys.stderr)
            del makers[peer]
    print("\t".join(["config", "qkv", *makers, "ratio", "low", "high", "peak"]), flush=True)
    found = {name: {p: [] for p in ["qkv", "peak", *makers]} for name in CONFIGS}
    with tempfile.TemporaryDirectory() as folder:
        program = peak_program(folder)
        for _ in range(rounds):
            for name, config in CONFIGS.items():
                rates = found[name]
                rates["peak"].append(peak(program))
                rates["qkv"].append(ours(qkv, config))
                for p in makers:
                    rates[p].append(speed(steps[name, p], config[4] * config[5]))
    for name, rates in found.items():
        row = [name, *(f"{statistics.median(rates[p]):.4g}" for p in ["qkv", *makers])]
        if makers:
            ratios = [mine / max(rates[p][i] for p in makers)
                      for i, mine in enumerate(rates["qkv"])]
            row += [f"{x:.2f}" for x in (statistics.median(ratios), min(ratios), max(ratios))]
        else:
            row += ["NA", "NA", "NA"]
        shares = [mine * operations(CONFIGS[name]) / most for mine, most in zip(rates["qkv"], rates["peak"])]
        print("\t".join([*row, f"{statistics.median(shares):.2f}"]))


if __name__ == "__main__":
    main()
