"""in_torch.py RUN BATCH ... - computes logits, loss and gradients of exported
batches again, in PyTorch: standard and fused by its own MultiheadAttention, the
others by tensor algebra. Fails where they differ by more than rounding."""

import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy, gelu, layer_norm


def read(path):
    return torch.from_numpy(np.load(path))


def heads_of(x, count):
    """(B, T, h d) -> (B, h, T, d)"""
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).flatten(-2)


def attend(q, k, v, scale, causal):
    """q (B, h, T, d); k and v of fewer heads serve neighbours."""
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    v = v.repeat_interleave(q.shape[1] // v.shape[1], 1)
    return weights_of(scale * q @ k.mT, causal) @ v


def weights_of(scores, causal):
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    return scores.softmax(-1)


def their_own(w, c, x, y, causal):
    """torch.nn.MultiheadAttention with our matrices as its weights."""
    d, h = c["d-model"], c["heads"]
    if "W_QKV" in w:
        q, k, v = w["W_QKV"].split([h * c["d-k"], h * c["d-k"], h * c["d-v"]], 1)
    else:
        q, k, v = w["W_Q"], w["W_K"], w["W_V"]
    module = torch.nn.MultiheadAttention(d, h, bias=False, batch_first=True)
    module = module.to(x.dtype)
    given = {
        "in_proj_weight": torch.cat([q.T, k.T, v.T]),
        "out_proj.weight": w["W_O"].T,
    }
    later = None
    if causal:
        later = torch.ones(x.shape[1], y.shape[1], dtype=torch.bool).triu(1)
    arguments = {"attn_mask": later, "need_weights": False}
    return torch.func.functional_call(module, given, (x, y, y), arguments)[0]


def algebra(w, c, x, y, causal):
    name, h = c["variant"], c["heads"]
    scale = c["d-k"] ** -0.5 if c["d-k"] else None
    q, k, v = (w.get(n) for n in ("W_Q", "W_K", "W_V"))
    if "W_QKV" in w:
        q, k, v = w["W_QKV"].split([h * c["d-k"], h * c["d-k"], h * c["d-v"]], 1)
    if name == "per-head":
        out = []
        for i in range(1, h + 1):
            of = [t @ w[f"W_{i}_{r}"] for t, r in ((x, "Q"), (y, "K"), (y, "V"))]
            out.append(attend(*(heads_of(t, 1) for t in of), scale, causal))
        return joined(torch.cat(out, 1)) @ w["W_O"]
    if name in ("two-step", "two-step-tanh"):
        between = torch.tanh if name == "two-step-tanh" else lambda t: t
        q, k, v = (
            heads_of(between(t @ w["W_" + r]) @ w["W_i_" + r], h)
            for t, r in ((x, "Q"), (y, "K"), (y, "V"))
        )
        return joined(attend(q, k, v, scale, causal)) @ w["W_O"]
    if name == "full-rank":
        q, v = heads_of(x @ w["W"], h), heads_of(y @ v, h)
        k = heads_of(y, 1)
        return joined(attend(q, k, v, x.shape[-1] ** -0.5, causal)) @ w["W_O"]
    if name == "identity":
        one = heads_of(x, 1), heads_of(y, 1), heads_of(y, 1)
        return joined(attend(*one, x.shape[-1] ** -0.5, causal))
    if name == "shared-qk":
        q = k = w["W_QK"]
    if name == "mla-absorbed":
        m = heads_of(y @ w["W_DKV"], 1)
        q = heads_of(x @ q, h)
        out = attend(q, m, m, c["latent"] ** -0.5, causal)
        return joined(out) @ w["W_O"]
    if name == "mla":
        m = y @ w["W_DKV"]
        q, k, v = x @ q, m @ w["W_UK"], m @ w["W_UV"]
    elif name == "collaborative":
        m = w["M"].unsqueeze(1)  # (h, 1, h d_k)
        q = (x @ q).unsqueeze(1) * m
        out = attend(q, heads_of(y @ k, 1), heads_of(y @ v, h),
                     (h * c["d-k"]) ** -0.5, causal)
        return joined(out) @ w["W_O"]
    else:
        q, k, v = x @ q, y @ k, y @ v
    if name == "wide":
        scale = x.shape[-1] ** -0.5
    if name in ("scale-outside", "unscaled"):
        outside = scale if name == "scale-outside" else 1
        scale = 1
    else:
        outside = 1
    kv = c["kv-heads"] if name == "gqa" else 1 if name == "mqa" else h
    q, k, v = heads_of(q, h), heads_of(k, kv), heads_of(v, kv)
    if name == "symmetric-data":
        u = heads_of(y @ w["W_W"], h)
        g = scale * v @ u.mT
        g = g.tril() if causal else g
        p = weights_of(scale * q @ k.mT, causal)
        return joined(p @ g @ y.unsqueeze(1)) @ w["W_O"]
    out = attend(q, k, v, scale, causal)
    if name == "symmetric":  # 1/sqrt(d_k) P V W', heads summed; W_T is W'
        return scale * joined(out) @ w["W_T"]
    return outside * joined(out) @ w["W_O"]


class Model:
    def __init__(self, run):
        self.c = {}
        for line in (run / "config.tsv").read_text().splitlines()[1:]:
            key, value = line.split("\t")
            number = value.lstrip("-").isdigit() and key != "variant"
            self.c[key] = int(value) if number else value
        self.c["variant"] = Path(self.c["variant"]).stem
        self.w = {
            f.stem: read(f).requires_grad_() for f in (run / "weights").iterdir()
        }

    def norm(self, x, name):
        if self.c["norm"] == "none":
            return x
        gain, bias = self.w[name + ".gain"][0], self.w[name + ".bias"][0]
        return layer_norm(x, x.shape[-1:], gain, bias, 1e-5)

    def attention(self, x, y, norm, place, causal):
        prefix = place + "."
        w = {n[len(prefix):]: t for n, t in self.w.items() if n.startswith(prefix)}
        normed = self.norm(x, norm)
        usual = self.c["variant"] in ("standard", "fused")
        one = self.c["embed"] == "learned" and (
            self.c["heads"] * self.c["d-k"] == self.c["d-model"] and
            self.c["d-k"] == self.c["d-v"])
        how = their_own if usual and one else algebra
        out = how(w, self.c, normed, normed if y is None else y, causal)
        return x + out if self.c["residual"] == "yes" else out

    def mlp(self, x, block):
        if not self.c["mlp"]:
            return x
        inner = self.norm(x, block + ".norm2") @ self.w[block + ".mlp.W_1"]
        return x + gelu(inner, approximate="tanh") @ self.w[block + ".mlp.W_2"]

    def embed(self, ids, positions):
        ids = ids.long()
        if ids.dim() == 2:
            ids = ids.unsqueeze(-1)
        there = (ids >= 0).unsqueeze(-1).to(self.w["embedding"].dtype)
        x = (self.w["embedding"][ids.clamp(min=0)] * there).sum(2)
        if self.c["positions"] == "learned":
            x = x + self.w[positions]
        if self.c["positions"] == "sinusoidal":
            t = torch.arange(x.shape[1], dtype=torch.float64).unsqueeze(1)
            d = x.shape[-1]
            i = torch.arange(d // 2, dtype=torch.float64)
            angle = t / 10000 ** (2 * i / d)
            x = x + torch.stack([angle.sin(), angle.cos()], -1).flatten(1).to(x.dtype)
        return x

    def logits(self, tokens, source):
        c, y = self.c, None
        if source is not None:
            y = self.embed(source, "source_positions")
        for i in range(c["encoder"]):
            y = self.attention(y, None, f"encoder{i}.norm1",
                               f"encoder{i}.attention", False)
            y = self.mlp(y, f"encoder{i}")
        if c["encoder"]:
            y = self.norm(y, "encoder.norm")
        x = self.embed(tokens, "positions")
        for i in range(c["layers"]):
            if c["cross"] != "only":
                x = self.attention(x, None, f"block{i}.norm1",
                                   f"block{i}.attention", c["mask"] == "causal")
            if c["cross"] != "none":
                x = self.attention(x, y, f"block{i}.norm_cross",
                                   f"block{i}.cross", False)
            x = self.mlp(x, f"block{i}")
        return self.norm(x, "norm") @ self.w["unembedding"]


def apart(found, wanted):
    """Largest difference, relative to the largest number."""
    return ((found - wanted).abs().max() / wanted.abs().max().clamp(min=1e-30)).item()


def check(run, batch):
    model = Model(run)
    source = batch / "source.npy"
    logits = model.logits(read(batch / "tokens.npy"),
                          read(source) if source.exists() else None)
    loss = cross_entropy(logits.flatten(0, 1),
                         read(batch / "targets.npy").long().flatten(),
                         ignore_index=-1)
    loss.backward()
    double = logits.dtype == torch.float64
    worst = {
        "logits": apart(logits.detach(), read(batch / "logits.npy")),
        "loss": apart(loss.detach(), read(batch / "loss.npy")[0, 0]),
    }
    largest = max(t.grad.abs().max() for t in model.w.values())
    for name, tensor in model.w.items():
        ours = read(batch / "gradients" / (name + ".npy"))
        worst[name] = ((tensor.grad - ours).abs().max() / largest).item()
    name = max(worst, key=worst.get)
    limit = 1e-12 if double else 1e-4
    good = all(off <= limit for off in worst.values())  # a NaN is not
    print(f"{'ok' if good else 'FAILED':6} {worst[name]:.1e} at most, "
          f"{name} of {run.name}")
    return good


if __name__ == "__main__":
    paths = [Path(a) for a in sys.argv[1:]]
    results = [check(r, b) for r, b in zip(paths[::2], paths[1::2])]
    sys.exit(not (results and all(results)))
