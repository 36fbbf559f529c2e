"""peers.py QKV [ROUNDS] - a training step of ours against PyTorch's and JAX's,
each in several settings, on one core, in turns.

Forward, backward and Adam of a decoder with pre-norm and learned positions, no
biases but LayerNorm's, on one fixed batch; and one attention layer, forward and
backward. A round measures everybody once, configuration by configuration, so
that a noisy machine spoils all alike; what is printed are medians over rounds,
in tokens a second, our share of the peak, and the ratio of ours to the fastest
of the others in each round: median, least, most. Peers that are not installed
are left out, and named."""

import os
import statistics
import subprocess
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1",
                  XLA_FLAGS="--xla_cpu_multi_thread_eigen=false "
                            "intra_op_parallelism_threads=1")

CONFIGS = {  # vocabulary, d_model, heads, layers, tokens, batch, mlp
    "tiny": (64, 32, 4, 1, 16, 32, 4),
    "tiny-b1": (64, 32, 4, 1, 16, 1, 4),
    "tiny-no-mlp": (64, 32, 4, 1, 16, 32, 0),
    "toy": (64, 64, 4, 2, 32, 32, 4),
    "small": (96, 128, 4, 4, 64, 32, 4),
    "paper": (1024, 512, 8, 2, 128, 8, 4),
}
LAYER = (512, 8, 512, 4)  # d_model, heads, tokens, batch
SECONDS = 0.5  # of one measurement


def torch_layer(compiled):
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.set_num_threads(1)
    d, h, t, b = LAYER

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(d, 3 * d, bias=False)
            self.out = nn.Linear(d, d, bias=False)

        def forward(self, x):
            q, k, v = (z.view(b, t, h, d // h).transpose(1, 2)
                       for z in self.qkv(x).chunk(3, -1))
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(a.transpose(1, 2).reshape(b, t, d))

    layer = Layer()
    run = torch.compile(layer) if compiled else layer
    x = torch.randn(b, t, d, requires_grad=True)
    back = torch.randn(b, t, d)

    def step():
        x.grad = None
        layer.zero_grad()
        run(x).backward(back)

    return step


def jax_layer():
    import jax
    import jax.numpy as jnp

    d, h, t, b = LAYER
    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    x, back = (jax.random.normal(k, (b, t, d)) for k in keys[:2])
    w = [jax.random.normal(keys[2], (d, 3 * d)) / d**0.5,
         jax.random.normal(keys[3], (d, d)) / d**0.5]
    mask = jnp.tril(jnp.ones((t, t), bool))

    def forward(x, w):
        q, k, u = (z.reshape(b, t, h, d // h).transpose(0, 2, 1, 3)
                   for z in jnp.split(x @ w[0], 3, -1))
        s = jnp.where(mask, q @ k.swapaxes(2, 3) / (d // h)**0.5, -jnp.inf)
        a = jax.nn.softmax(s) @ u
        return a.transpose(0, 2, 1, 3).reshape(b, t, d) @ w[1]

    @jax.jit
    def both(x, w):
        out, pull = jax.vjp(forward, x, w)
        return out, pull(back)

    return lambda: jax.block_until_ready(both(x, w))


def torch_step(config, compiled):
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.set_num_threads(1)
    v, d, h, layers, t, b, mlp = config

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.qkv = nn.Linear(d, 3 * d, bias=False)
            self.out = nn.Linear(d, d, bias=False)
            if mlp:
                self.up = nn.Linear(d, mlp * d, bias=False)
                self.down = nn.Linear(mlp * d, d, bias=False)

        def forward(self, x):
            q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
            q, k, v = (z.view(b, t, h, d // h).transpose(1, 2)
                       for z in (q, k, v))
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(a.transpose(1, 2).reshape(b, t, d))
            if mlp:
                up = F.gelu(self.up(self.norm2(x)), approximate="tanh")
                x = x + self.down(up)
            return x

    class Model(nn.Module):
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

    model = Model()
    run = torch.compile(model) if compiled else model
    adam = torch.optim.Adam(model.parameters(), 3e-3, fused=True)
    ids, targets = (torch.randint(v, (b, t)) for _ in range(2))

    def step():
        adam.zero_grad()
        run(ids, targets).backward()
        adam.step()

    return step


def jax_step(config):
    import jax
    import jax.numpy as jnp

    v, d, h, layers, t, b, mlp = config
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 8 + 4 * layers))

    def matrix(rows, cols):
        return jax.random.normal(next(keys), (rows, cols)) / rows**0.5

    def block():
        p = {"n1": (jnp.ones(d), jnp.zeros(d)), "qkv": matrix(d, 3 * d),
             "out": matrix(d, d)}
        if mlp:
            p |= {"n2": (jnp.ones(d), jnp.zeros(d)),
                  "up": matrix(d, mlp * d), "down": matrix(mlp * d, d)}
        return p

    params = {"e": matrix(v, d), "p": matrix(t, d), "u": matrix(d, v),
              "n": (jnp.ones(d), jnp.zeros(d)),
              "blocks": [block() for _ in range(layers)]}
    ids = jax.random.randint(next(keys), (b, t), 0, v)
    targets = jax.random.randint(next(keys), (b, t), 0, v)
    mask = jnp.tril(jnp.ones((t, t), bool))

    def norm(x, p):
        x = x - x.mean(-1, keepdims=True)
        return p[0] * x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) + p[1]

    def loss(p):
        x = p["e"][ids] + p["p"]
        for w in p["blocks"]:
            q, k, u = jnp.split(norm(x, w["n1"]) @ w["qkv"], 3, -1)
            q, k, u = (z.reshape(b, t, h, d // h).transpose(0, 2, 1, 3)
                       for z in (q, k, u))
            s = jnp.where(mask, q @ k.swapaxes(2, 3) / (d // h)**0.5, -jnp.inf)
            a = jax.nn.softmax(s) @ u
            x = x + a.transpose(0, 2, 1, 3).reshape(b, t, d) @ w["out"]
            if mlp:
                x = x + jax.nn.gelu(norm(x, w["n2"]) @ w["up"]) @ w["down"]
        logits = jax.nn.log_softmax(norm(x, p["n"]) @ p["u"])
        return -jnp.take_along_axis(logits, targets[..., None], 2).mean()

    tree = jax.tree_util.tree_map

    @jax.jit
    def update(p, m, s, n):
        g = jax.grad(loss)(p)
        m = tree(lambda a, x: 0.9 * a + 0.1 * x, m, g)
        s = tree(lambda a, x: 0.999 * a + 0.001 * x * x, s, g)
        rate = 3e-3 * jnp.sqrt(1 - 0.999**n) / (1 - 0.9**n)
        p = tree(lambda w, a, x: w - rate * a / (jnp.sqrt(x) + 1e-8), p, m, s)
        return p, m, s

    zero = tree(jnp.zeros_like, params)
    state = [params, zero, zero, 1.0]

    def step():
        state[:3] = update(*state)
        state[3] += 1
        jax.block_until_ready(state[0])

    return step


def speed(step, tokens):
    start, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - start) < SECONDS:
        step()
        count += 1
    return tokens * count / passed


def ours(qkv, name):
    """Tokens a second, and the share of the peak measured beside."""
    table = subprocess.run([qkv, "bench", name, "-q", "--tsv"], check=True,
                           capture_output=True, text=True).stdout
    last = table.splitlines()[-1].split("\t")
    return float(last[4]), last[3]


def busy():
    """The share of the cores that others take, over a second."""
    def look():
        with open("/proc/stat") as f:
            numbers = [int(x) for x in f.readline().split()[1:9]]
        return sum(numbers) - numbers[3] - numbers[4], sum(numbers)
    used, all_of_it = look()
    time.sleep(1)
    now_used, now_all = look()
    return (now_used - used) / max(1, now_all - all_of_it)


def main():
    qkv, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if (share := busy()) > 0.05:
        print(f"bench: others use {share:.0%} of this machine: ratios may be "
              "off; try again when it is idle", file=sys.stderr)
    makers = {
        "torch eager": lambda c: torch_step(c, False) if c else torch_layer(False),
        "torch.compile": lambda c: torch_step(c, True) if c else torch_layer(True),
        "jax.jit": lambda c: jax_step(c) if c else jax_layer()}
    configs = CONFIGS | {"layer": None}
    steps = {}
    for peer, make in makers.items():
        for name, config in configs.items():
            try:
                step = make(config)
                for _ in range(3):
                    step()
                steps[name, peer] = step
            except Exception as error:
                reason = str(error).splitlines()[0][:60] if str(error) else error
                print(f"bench: {peer} is left out ({reason})", file=sys.stderr)
                break
    peers = [p for p in makers if ("tiny", p) in steps]
    print("\t".join(["config", "qkv", "of_peak", *peers, "ratio", "low", "high"]))
    found = {name: {p: [] for p in ["qkv", *peers]} for name in configs}
    share = {}
    for _ in range(rounds):
        for name, config in configs.items():
            rate, share[name] = ours(qkv, name)
            found[name]["qkv"].append(rate)
            tokens = config[5] * config[4] if config else LAYER[2] * LAYER[3]
            for p in peers:
                found[name][p].append(speed(steps[name, p], tokens))
    for name, rates in found.items():
        row = [name, f"{statistics.median(rates['qkv']):.4g}", share[name]]
        row += [f"{statistics.median(rates[p]):.4g}" for p in peers]
        if peers:
            ratios = [mine / max(rates[p][i] for p in peers)
                      for i, mine in enumerate(rates["qkv"])]
            row += [f"{x:.2f}" for x in (statistics.median(ratios), min(ratios),
                                         max(ratios))]
        print("\t".join(row))


if __name__ == "__main__":
    main()
