"""in_torch.py RUN BATCH ... - computes logits, loss and gradients of exported
batches again, in PyTorch: standard and fused by its own MultiheadAttention, the
others by tensor algebra. Fails where they differ by more than rounding."""

import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy, gelu, layer_norm, pad


def read(path):
    return torch.from_numpy(np.load(path))


def heads_of(x, count):
    """(B, T, h d) -> (B, h, T, d)"""
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).flatten(-2)


# The attention that is computed now: how its scores know of positions ("rope",
# "alibi" or otherwise), how many heads it has, how many have had their scores.
here = {"positions": "", "heads": 1, "scored": 0}


def rotated(x):
    """RoFormer, equation 34: pairs of columns turned by t * 10000^(-2 p / d)."""
    if here["positions"] != "rope":
        return x
    d = x.shape[-1]
    p = torch.arange(d // 2, dtype=torch.float64)
    t = torch.arange(x.shape[-2], dtype=torch.float64).unsqueeze(1)
    angle = t * 10000 ** (-2 * p / d)
    turn = torch.polar(torch.ones_like(angle), angle)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2).to(x.dtype)


def scores_of(q, k, scale):
    """ALiBi: head i of h adds -2^(-8 i / h) |query - key|."""
    s = scale * rotated(q) @ rotated(k).mT
    if here["positions"] != "alibi":
        return s
    i = (here["scored"] + torch.arange(s.shape[1])) % here["heads"] + 1
    here["scored"] += s.shape[1]
    query, key = (torch.arange(n, dtype=torch.float64) for n in s.shape[-2:])
    slope = 2 ** (-8 * i.double() / here["heads"]).reshape(-1, 1, 1)
    return s - (slope * (query.unsqueeze(1) - key).abs()).to(s.dtype)


def attend(q, k, v, scale, causal):
    """q (B, h, T, d); k and v of fewer heads serve neighbours."""
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    v = v.repeat_interleave(q.shape[1] // v.shape[1], 1)
    return weights_of(scores_of(q, k, scale), causal) @ v


def weights_of(scores, causal):
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    return scores.softmax(-1)


def normalised(x, gain, eps):
    """RMSNorm, of each head's columns."""
    return x * (x.square().mean(-1, keepdim=True) + eps).rsqrt() * gain[0]


def differential(w, c, x, y, causal, layer):
    """Ye et al. 2024, equations 1 to 3; each head's two queries side by side."""
    h, d = c["heads"], c["d-k"]
    start = 0.8 - 0.6 * np.exp(-0.3 * layer)
    q, k, v = (heads_of(t @ w[n], h) for t, n in
               ((x, "W_Q"), (y, "W_K"), (y, "W_V")))
    now = (w["l_1"] * w["l_2"]).sum().exp() - (w["l_3"] * w["l_4"]).sum().exp()
    maps = [weights_of(scores_of(q[..., a:a + d], k[..., a:a + d], d ** -0.5), causal)
            for a in (0, d)]
    out = (maps[0] - (now + start) * maps[1]) @ v
    return joined((1 - start) * normalised(out, w["g_N"], 1e-5)) @ w["W_O"]


def turned(x, base=10000):
    """Pairs of columns 2j, 2j + 1 of token t turned by t base^(-2j / width)."""
    t, d = torch.arange(x.shape[-2], dtype=torch.float64), x.shape[-1]
    angle = t[:, None] * base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    u, v = x[..., 0::2], x[..., 1::2]
    return torch.stack([c * u - s * v, s * u + c * v], -1).flatten(-2)


def mla_rope(w, c, x, y, causal):
    """DeepSeek-V2, appendix C, with an RMSNorm behind each compression."""
    h = c["heads"]
    latent = normalised(y @ w["W_DKV"], w["g_KV"], 1e-6)
    query = normalised(x @ w["W_DQ"], w["g_Q"], 1e-6)
    k_r = turned(heads_of(y @ w["W_KR"], 1)).expand(-1, h, -1, -1)
    q_r = turned(heads_of(query @ w["W_QR"], h))
    q = torch.cat([heads_of(query @ w["W_UQ"], h), q_r], -1)
    k = torch.cat([heads_of(latent @ w["W_UK"], h), k_r], -1)
    v = heads_of(latent @ w["W_UV"], h)
    out = attend(q, k, v, q.shape[-1] ** -0.5, causal)
    return joined(out) @ w["W_O"]


def tpa(w, c, x, y, causal):
    """Zhang et al. 2025, section 3.1: each of a token's matrices is A' B / R."""
    def factors(t, role, width):
        b = (t @ w["B_" + role]).unflatten(-1, (-1, width))
        a = (t @ w["A_" + role]).unflatten(-1, (b.shape[-2], -1))
        return (a.mT @ b / b.shape[-2]).transpose(1, 2)
    q, k = factors(x, "Q", c["d-k"]), factors(y, "K", c["d-k"])
    out = attend(q, k, factors(y, "V", c["d-v"]), c["d-k"] ** -0.5, causal)
    return joined(out) @ w["W_O"]


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


first = {}  # what the first layer's value residual is


def algebra(w, c, x, y, causal, layer):
    name, h = c["variant"], c["heads"]
    if name == "differential":
        return differential(w, c, x, y, causal, layer)
    if name == "tpa":
        return tpa(w, c, x, y, causal)
    if name == "mla-rope":
        return mla_rope(w, c, x, y, causal)
    if name == "mfa":
        q = heads_of(x @ w["S_Q"] @ w["Q"], h)
        k, v = heads_of(y @ w["S_K"], 1), heads_of(y @ w["S_V"], 1)
        return joined(attend(q, k, v, c["latent"] ** -0.5, causal)) @ w["W_O"]
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
    if name in ("two-step", "two-step-narrow", "two-step-tanh"):
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
    if name == "shared-kv":
        k = v = w["W_KV"]
    if name == "v-from-k":
        v = k @ w["W_KV"]
    if name == "shared-qkv":
        q = k = v = w["W"]
    if name in ("no-wq", "nonlinear-query"):
        q, scale = torch.eye(x.shape[-1], dtype=x.dtype), (x.shape[-1] // h) ** -0.5
    if name == "no-wv-wo":
        v = torch.eye(x.shape[-1], dtype=x.dtype)
        w = w | {"W_O": v}
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
    if name == "nonlinear-query":  # Karbevski 2026, from its README
        f = gelu(x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() @ w["W_1_Q"],
                 approximate="tanh") @ w["W_2_Q"]
        q = (q + layer_norm(f, f.shape[-1:], w["g_Q"][0], None, 1e-5)) / 2
    if name == "biased":
        q, k, v = q + w["b_Q"], k + w["b_K"], v + w["b_V"]
    if name == "wide":
        scale = x.shape[-1] ** -0.5
    if name in ("scale-outside", "unscaled"):
        outside = scale if name == "scale-outside" else 1
        scale = 1
    else:
        outside = 1
    kv = c["kv-heads"] if name in ("gqa", "gqa-qk-norm") else 1 if name == "mqa" else h
    q, k, v = heads_of(q, h), heads_of(k, kv), heads_of(v, kv)
    if name.endswith("qk-norm"):
        q, k = normalised(q, w["g_Q"], 1e-6), normalised(k, w["g_K"], 1e-6)
    if name == "kv-shift":  # Xu et al. 2024, equation 5
        def mixed(t, role):
            own, before = (w[f"{role}_{i}"][0][:, None, None] for i in (1, 2))
            return own * t + before * pad(t, (0, 0, 1, 0))[..., :-1, :]
        k, v = mixed(k, "alpha"), mixed(v, "beta")
    if name == "window":
        s = scores_of(q, k, scale)
        t, u = torch.arange(s.shape[-2])[:, None], torch.arange(s.shape[-1])
        s = s.masked_fill((t - u).abs() >= 4, float("-inf"))
        return joined(weights_of(s, causal) @ v) @ w["W_O"]
    if name == "sink":
        s = scores_of(q, k, scale)
        if causal:
            later = torch.ones(s.shape[-2:], dtype=torch.bool).triu(1)
            s = s.masked_fill(later, float("-inf"))
        last = w["b"][0][:, None, None].expand(s.shape[0], -1, s.shape[2], 1)
        p = torch.cat([s, last], -1).softmax(-1)[..., :-1]
        return joined(p @ v) @ w["W_O"]
    if name == "value-residual":
        v = v if layer == 0 else (v + first["v"]) / 2
        if layer == 0:
            first["v"] = v
    if name == "talking-heads":
        logits = torch.einsum("bhqk,hj->bjqk", scores_of(q, k, scale), w["P_L"])
        p = torch.einsum("bhqk,hj->bjqk", weights_of(logits, causal), w["P_W"])
        return joined(p @ v) @ w["W_O"]
    if name == "symmetric-data":
        u = heads_of(y @ w["W_W"], h)
        p = weights_of(scores_of(q, k, scale), causal)
        g = scores_of(v, u, scale)
        g = g.tril() if causal else g
        return joined(p @ g @ y.unsqueeze(1)) @ w["W_O"]
    if name == "linear":
        s = scores_of(q, k, scale)
        return joined((s.tril() if causal else s) @ v) @ w["W_O"]
    out = attend(q, k, v, scale, causal)
    if name == "gated":
        return (joined(out) * (x @ w["W_G"]).sigmoid()) @ w["W_O"]
    if name == "symmetric":  # 1/sqrt(d_k) P V W', heads summed; W_T is W'
        return scale * joined(out) @ w["W_T"]
    bias = w["b_O"] if name == "biased" else 0
    return outside * joined(out) @ w["W_O"] + bias


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
        if self.c["norm"] == "rms":
            return normalised(x, self.w[name + ".gain"], 1e-5)
        gain, bias = self.w[name + ".gain"][0], self.w[name + ".bias"][0]
        return layer_norm(x, x.shape[-1:], gain, bias, 1e-5)

    def attention(self, x, y, norm, place, causal):
        layer = int("".join(filter(str.isdigit, place)))
        prefix = place + "."
        w = {n[len(prefix):]: t for n, t in self.w.items() if n.startswith(prefix)}
        normed = self.norm(x, norm)
        positions = "" if place.endswith(".cross") else self.c["positions"]
        here.update(positions=positions, heads=max(self.c["heads"], 1), scored=0)
        usual = self.c["variant"] in ("standard", "fused") and (
            positions not in ("rope", "alibi"))
        one = self.c["embed"] == "learned" and (
            self.c["heads"] * self.c["d-k"] == self.c["d-model"] and
            self.c["d-k"] == self.c["d-v"])
        y = normed if y is None else y
        out = (their_own(w, self.c, normed, y, causal) if usual and one else
               algebra(w, self.c, normed, y, causal, layer))
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
