"""peers.py QKV [ROUNDS] - the speed of training, ours against PyTorch's, eager and
compiled, on one core, in turns. Nothing else tells how fast it may be.

Forward, backward and Adam of a decoder with pre-norm and learned positions, no
biases but LayerNorm's, on one fixed batch. A round measures everybody once,
configuration by configuration, so that a noisy machine spoils all alike; what is
printed are medians over rounds, in tokens a second, and the ratio of ours to the
fastest of the others in each round: median, least, most. Without PyTorch, only
ours."""

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

CONFIGS = {  # vocabulary, d_model, heads, layers, tokens, batch, mlp
    "tiny": (64, 32, 4, 1, 16, 32, 4),
    "tiny-b1": (64, 32, 4, 1, 16, 1, 4),
    "tiny-no-mlp": (64, 32, 4, 1, 16, 32, 0),
    "toy": (64, 64, 4, 2, 32, 32, 4),
    "small": (96, 128, 4, 4, 64, 32, 4),
    "paper": (1024, 512, 8, 2, 128, 8, 4),
}
SECONDS = 0.5  # of one measurement


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


def speed(step, tokens):
    start, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - start) < SECONDS:
        step()
        count += 1
    return tokens * count / passed


def ours(qkv, config):
    """Tokens a second, of runs of that many steps: of few, and then of enough."""
    names = ["symbols", "d-model", "heads", "layers", "length", "batch", "mlp"]
    asked = [f"--{name}={value}" for name, value in zip(names, config)]
    asked += ["--norm=pre", "--mask=causal", "--validate=1", "--test=1", "--log-every=1000000"]
    steps = 10
    for _ in range(2):
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([qkv, "train", "-q", "--no-weights", f"--steps={steps}", "-o", out] + asked,
                           check=True, capture_output=True)
            run, = glob.glob(out + "/*/timing.tsv")
            with open(run) as file:
                rate = float(dict(line.split() for line in file)["tokens_per_second"])
        steps = int(SECONDS * rate / (config[4] * config[5])) + 1
    return rate


def main():
    qkv, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if (load := os.getloadavg()[0]) > 0.2:
        print(f"bench: the load of this machine is {load:.1f}: ratios may be off; "
              "try again when it is idle", file=sys.stderr)
    makers = {"eager": lambda model: model, "compiled": torch.compile} if torch else {}
    steps = {}
    for peer, made in list(makers.items()):
        try:
            for name, config in CONFIGS.items():
                steps[name, peer] = torch_step(config, made)
                for _ in range(3):
                    steps[name, peer]()
        except Exception as error:  # compile wants a compiler
            print(f"bench: {peer} is left out ({str(error)[:60]!r})", file=sys.stderr)
            del makers[peer]
    print("\t".join(["config", "qkv", *makers, "ratio", "low", "high"]))
    found = {name: {p: [] for p in ["qkv", *makers]} for name in CONFIGS}
    for _ in range(rounds):
        for name, config in CONFIGS.items():
            t, b = config[4:6]
            found[name]["qkv"].append(ours(qkv, config))
            for p in makers:
                found[name][p].append(speed(steps[name, p], t * b))
    for name, rates in found.items():
        row = [name, f"{statistics.median(rates['qkv']):.4g}"]
        row += [f"{statistics.median(rates[p]):.4g}" for p in makers]
        if makers:
            ratios = [mine / max(rates[p][i] for p in makers)
                      for i, mine in enumerate(rates["qkv"])]
            row += [f"{x:.2f}" for x in (statistics.median(ratios), min(ratios),
                                         max(ratios))]
        print("\t".join(row))


if __name__ == "__main__":
    main()
