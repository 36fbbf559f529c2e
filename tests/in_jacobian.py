"""in_jacobian.py NORM D HEADS K V LAYERS MLP SYMBOLS LENGTH POSITIONS [ACT EPS TIED] - of a
small decoder, written afresh in PyTorch (float64): its parameters, the rank of its Jacobian,
and what is real of standard attention and all around it in letters."""

import sys

import torch

norm, positions, act, eps, tied = sys.argv[1], *(sys.argv[10:] + ["gelu", "1e-5", ""])[:4]
if len(sys.argv) > 11:
    act, eps, tied = sys.argv[11:14]
d, h, k, v, layers, mlp, symbols, length = map(int, sys.argv[2:10])
torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

places = [f"{p}{i}" for i in range(layers) for p in ("am" if mlp else "a")] + ["end"]
shapes = {"E": (symbols, d)} | ({"P": (length, d)} if positions == "learned" else {})
for i in range(layers):
    shapes |= {f"Q{i}": (h, d, k), f"K{i}": (h, d, k), f"V{i}": (h, d, v), f"O{i}": (h, v, d)}
    shapes |= {f"up{i}": (d, mlp * d), f"down{i}": (mlp * d, d)} if mlp else {}
shapes |= {} if tied == "tied" else {"U": (d, symbols)}
shapes |= {"gain " + p: (1, d) for p in places if norm != "none"}
shapes |= {"bias " + p: (1, d) for p in places if norm == "pre"}
sizes = [torch.Size(s).numel() for s in shapes.values()]
start = torch.cat([torch.randn(n) * s[-2] ** -0.5 + ("gain" in name)
                   for n, (name, s) in zip(sizes, shapes.items())])


def distributions(flat, ids):
    w = {n: part.view(s) for (n, s), part in zip(shapes.items(), flat.split(sizes))}

    def normed(x, place):
        if norm == "none":
            return x
        x = x - x.mean(-1, keepdim=True) if norm == "pre" else x
        rms = (x.square().mean(-1, keepdim=True) + float(eps)).sqrt()
        return w["gain " + place] * x / rms + w.get("bias " + place, 0)

    x = w["E"][ids] + w.get("P", 0)
    for i in range(layers):
        y = normed(x, f"a{i}").unsqueeze(-3)
        scores = (y @ w[f"Q{i}"]) @ (y @ w[f"K{i}"]).mT * k ** -0.5
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, -torch.inf).softmax(-1)
        x = x + (weights @ (y @ w[f"V{i}"]) @ w[f"O{i}"]).sum(-3)
        if mlp:
            hidden = normed(x, f"m{i}") @ w[f"up{i}"]
            by = torch.relu(hidden) if act == "relu" else torch.nn.functional.gelu(hidden, approximate="tanh")
            x = x + by @ w[f"down{i}"]
    return (normed(x, "end") @ (w["E"].T if tied == "tied" else w["U"])).log_softmax(-1)


ids = torch.randint(symbols, (3 * len(start) // (length * symbols) + 20, length))
jacobian = torch.func.jacrev(lambda p: distributions(p, ids).flatten(), chunk_size=256)(start)
s = torch.linalg.svdvals(jacobian)
rank = len(s) if s[-1] > 1e-11 * s[0] else int((s[:-1] / s[1:].clamp(min=1e-16 * s[0])).argmax()) + 1


def product(rows, columns, width):
    """The dimension of the products of (rows x width) and (width x columns)."""
    width = min(rows, columns, width)
    return width * (rows + columns - width)


norms, learned = len(places), positions == "learned"
attention = h * (product(d, d, k) + product(d, d, v))
gauge = {"none": d * d, "rms": norms * d + d * (d - 1) // 2,
         "pre": 2 * norms * d + (d - 1) * (d - 2) // 2 + symbols + length * learned
         + layers * mlp * d - learned}[norm] + d + d * learned
if norm == "pre":
    attention = h * (product(d, d - 1, k) + product(d - 1, d - 1, v)) + min(h * v, d - 1)
print(len(start), rank, len(start) - gauge - layers * (2 * h * d * (k + v) - attention))
