"""in_jax.py - the models of the default experiment in JAX: the loss of a run's
weights on a batch, and steps of Adam on it."""

import jax
import jax.numpy as jnp

RATE, BETA1, BETA2 = 3e-3, 0.9, 0.999


def heads_of(x, count):
    """(B, T, h d) -> (B, h, T, d)"""
    return x.reshape(*x.shape[:-1], count, -1).swapaxes(-2, -3)


def joined(x):
    x = x.swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], -1)


def attend(q, k, v, scale, causal):
    s = scale * q @ k.swapaxes(-1, -2)
    if causal:
        s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], bool)), s, -jnp.inf)
    return jax.nn.softmax(s) @ v


def attention(w, c, x):
    name, h, causal = c["variant"], c["heads"], c["mask"] == "causal"
    scale = (x.shape[-1] if name == "full-rank" else c["d-k"]) ** -0.5
    if name == "full-rank":
        q, k, v = x @ w["W"], x, x @ w["W_V"]
        out = attend(heads_of(q, h), heads_of(k, 1), heads_of(v, h), scale, causal)
        return joined(out) @ w["W_O"]
    if name.startswith("two-step"):
        between = jnp.tanh if name == "two-step-tanh" else lambda t: t
        q, k, v = (between(x @ w["W_" + r]) @ w["W_i_" + r] for r in "QKV")
    elif name == "per-head":
        q, k, v = (jnp.concatenate([x @ w[f"W_{i}_{r}"] for i in range(1, h + 1)], -1)
                   for r in "QKV")
    elif name == "fused":
        q, k, v = jnp.split(x @ w["W_QKV"], 3, -1)
    else:
        q, k, v = (x @ w["W_" + r] for r in "QKV")
    out = joined(attend(*(heads_of(t, h) for t in (q, k, v)), scale, causal))
    return scale * out @ w["W_T"] if name == "symmetric" else out @ w["W_O"]


def norm_of(x, w, name):
    if name + ".gain" not in w:
        return x
    x = x - x.mean(-1, keepdims=True)
    x = x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    return x * w[name + ".gain"][0] + w[name + ".bias"][0]


def loss_of(w, c, tokens, targets):
    ids = tokens.reshape(*tokens.shape[:2], -1)
    x = jnp.where((ids >= 0)[..., None], w["embedding"][jnp.maximum(ids, 0)], 0).sum(2)
    if "positions" in w:
        x = x + w["positions"]
    for i in range(c["layers"]):
        prefix = f"block{i}.attention."
        own = {n[len(prefix):]: t for n, t in w.items() if n.startswith(prefix)}
        out = attention(own, c, norm_of(x, w, f"block{i}.norm1"))
        x = x + out if c["residual"] == "yes" else out
        if c["mlp"]:
            up = norm_of(x, w, f"block{i}.norm2") @ w[f"block{i}.mlp.W_1"]
            x = x + jax.nn.gelu(up) @ w[f"block{i}.mlp.W_2"]
    logits = jax.nn.log_softmax(norm_of(x, w, "norm") @ w["unembedding"])
    right = jnp.take_along_axis(logits, jnp.maximum(targets, 0)[..., None], 2)[..., 0]
    return -jnp.where(targets >= 0, right, 0).sum() / (targets >= 0).sum()


def adam(state, c, tokens, targets):
    """A step; the state is weights, moments, and how many steps there were."""
    w, first, second, n = state
    g = jax.grad(loss_of)(w, c, tokens, targets)
    tree, n = jax.tree_util.tree_map, n + 1
    first = tree(lambda m, x: BETA1 * m + (1 - BETA1) * x, first, g)
    second = tree(lambda m, x: BETA2 * m + (1 - BETA2) * x * x, second, g)
    rate = RATE * jnp.sqrt(1 - BETA2**n) / (1 - BETA1**n)
    w = tree(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), w, first, second)
    return w, first, second, n


def trainer(weights, c, tokens, targets, seeds, at_once):
    """A function that makes at_once steps, of one seed or of several at a time
    (vmap), and one that looks at the loss."""
    tokens, targets = jnp.asarray(tokens), jnp.asarray(targets)
    w = {n: jnp.asarray(t) for n, t in weights.items()}

    def steps(state):
        return jax.lax.scan(lambda s, _: (adam(s, c, tokens, targets), None), state,
                            None, at_once)[0]

    def look(w):
        return loss_of(w, c, tokens, targets)

    zero = {n: jnp.zeros_like(t) for n, t in w.items()}
    state = (w, zero, zero, jnp.zeros(()))
    if seeds > 1:
        state = jax.tree_util.tree_map(lambda t: jnp.stack([t] * seeds), state)
        steps, look = jax.vmap(steps), jax.vmap(look)
    steps, look = jax.jit(steps, donate_argnums=0), jax.jit(look)
    state = [jax.tree_util.tree_map(jnp.copy, state)]

    def advance():
        state[0] = jax.block_until_ready(steps(state[0]))

    return advance, lambda: jax.block_until_ready(look(state[0][0]))
