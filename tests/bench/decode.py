"""decode.py QKV LOOP FAST [ROUNDS] - tokens a second of our decoder against plain
loops and PyTorch's, on one core, in turns.

LOOP and FAST are tests/bench/loop.c, compiled with -O3 and with -Ofast. PyTorch
has a static cache; eager, it reads as much of it as is filled; compiled, all of
it, under a mask. A round measures everybody once, shape by shape; what is printed
are medians over rounds, and the ratio of ours to the fastest of the others in
each round: median, least, most. Shapes that we lose are named below the table."""

import os
import statistics
import subprocess
import sys

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
from peers import CONFIGS, busy, speed  # noqa: E402

SHAPES = ["tiny", "toy", "small", "paper"]
SEQUENCES = [1, 8, 64]
SECONDS = "0.5"  # of one measurement of a loop


def torch_decoder(config, sequences, compiled):
    """A function that decodes `sequences` whole sequences."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.set_num_threads(1)
    v, d, h, layers, t, _, mlp = config
    b, width = sequences, d // h

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.qkv = nn.Linear(d, 3 * d, bias=False)
            self.out = nn.Linear(d, d, bias=False)
            self.up = nn.Linear(d, mlp * d, bias=False)
            self.down = nn.Linear(mlp * d, d, bias=False)
            for name in "keys", "values":
                self.register_buffer(name, torch.zeros(b, h, t, width))

        def forward(self, x, at, mask):
            q, k, u = (z.view(b, h, 1, width)
                       for z in self.qkv(self.norm1(x)).chunk(3, -1))
            if mask is None:
                self.keys[:, :, at:at + 1] = k
                self.values[:, :, at:at + 1] = u
                a = F.scaled_dot_product_attention(
                    q, self.keys[:, :, :at + 1], self.values[:, :, :at + 1])
            else:
                self.keys.index_copy_(2, at, k)
                self.values.index_copy_(2, at, u)
                a = F.scaled_dot_product_attention(q, self.keys, self.values,
                                                   attn_mask=mask[at])
            x = x + self.out(a.reshape(b, d))
            up = F.gelu(self.up(self.norm2(x)), approximate="tanh")
            return x + self.down(up)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(v, d)
            self.positions = nn.Parameter(torch.randn(t, d))
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm = nn.LayerNorm(d)
            self.unembedding = nn.Linear(d, v, bias=False)

        def forward(self, ids, at, mask=None):
            x = self.embedding(ids) + self.positions[at]
            for block in self.blocks:
                x = block(x, at, mask)
            return self.unembedding(self.norm(x))

    model = Model().eval()
    ids = torch.zeros(b, dtype=torch.long)
    if not compiled:
        def run():
            with torch.inference_mode():
                for i in range(t):
                    model(ids, i)
        return run
    mask = torch.ones(t, t, dtype=torch.bool).tril()
    places = [torch.tensor([i]) for i in range(t)]
    torch._dynamo.config.recompile_limit = 64  # a graph for each model here
    step = torch.compile(model, dynamic=False)

    def run():
        with torch.no_grad():
            for at in places:
                step(ids, at, mask)
    return run


def ours(qkv, name):
    """Tokens a second of each number of sequences."""
    table = subprocess.run([qkv, "bench", "decode", name, "-q", "--tsv"],
                           check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    return {int(row[2]): float(row[3]) for row in rows}


def loop(program, name):
    return float(subprocess.run([program, name, SECONDS], check=True,
                                capture_output=True, text=True).stdout)


def torch_peers():
    """What each of PyTorch's settings runs, by shape and sequences."""
    found = {}
    for peer, compiled in ("torch eager", False), ("torch.compile", True):
        try:
            for name in SHAPES:
                for n in SEQUENCES:
                    run = torch_decoder(CONFIGS[name], n, compiled)
                    run()
                    found[name, n, peer] = run
        except Exception as error:
            reason = str(error).splitlines()[0][:60] if str(error) else error
            print(f"bench: {peer} is left out ({reason})", file=sys.stderr)
    return found


def measure_round(qkv, loops, runs, found):
    for name in SHAPES:
        rates = ours(qkv, name)
        for n in SEQUENCES:
            row = found.setdefault((name, n), [])
            row.append({"qkv": rates[n]})
            for peer, program in loops.items() if n == 1 else []:
                row[-1][peer] = loop(program, name)
            for peer in "torch eager", "torch.compile":
                if (name, n, peer) in runs:
                    row[-1][peer] = speed(runs[name, n, peer],
                                          n * CONFIGS[name][4])


def main():
    qkv, loops = sys.argv[1], {"loop -O3": sys.argv[2],
                          "loop -Ofast": sys.argv[3]}
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    if (share := busy()) > 0.05:
        print(f"bench: others use {share:.0%} of this machine: ratios may be "
              "off; try again when it is idle", file=sys.stderr)
    runs, found = torch_peers(), {}
    for _ in range(rounds):
        measure_round(qkv, loops, runs, found)
    peers = [*loops, *(p for p in ("torch eager", "torch.compile")
                       if ("tiny", 1, p) in runs)]
    print("\t".join(["shape", "sequences", "qkv", *peers, "ratio", "low",
                     "high"]))
    lost = []
    for (name, n), rows in found.items():
        at = [f"{statistics.median(r[p] for r in rows):.4g}"
              if p in rows[0] else "NA" for p in ["qkv", *peers]]
        ratios = [r["qkv"] / max([x for p, x in r.items() if p != "qkv"],
                                 default=float("nan")) for r in rows]
        ratio = statistics.median(ratios)
        print("\t".join([name, str(n), *at, *(f"{x:.2f}" for x in (
            ratio, min(ratios), max(ratios)))]))
        lost += [f"{name} of {n}"] if ratio < 1 else []
    print("bench: behind the fastest: " + (", ".join(lost) or "nowhere"),
          file=sys.stderr)


if __name__ == "__main__":
    main()
