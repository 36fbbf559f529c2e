"""in_checkpoints.py QKV DIR - checkpoints that `transformers` saves, compared and converted
by `qkv open`: a copy that computes the same, in other matrices, is no distance away. A line
for each that was compared."""
import hashlib
import os
import subprocess
import sys

import numpy
import torch
from transformers import AutoConfig, AutoModel, AutoModelForImageTextToText

qkv, folder = sys.argv[1:]

def rows(*arguments):
    """What qkv prints, a dictionary a row."""
    done = subprocess.run([qkv, *arguments, "--tsv"], capture_output=True, text=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    if done.returncode or len(lines) < 2:
        sys.exit(f"{arguments}: {done.stderr}")
    return [dict(zip(lines[0], line)) for line in lines[1:]]

def gqa(groups, head=None, **more):
    sizes = dict(num_hidden_layers=2, hidden_size=32, num_attention_heads=4, num_key_value_heads=groups, **more)
    return dict(sizes, head_dim=head) if head else sizes

BERT = dict(num_hidden_layers=2, hidden_size=32, num_attention_heads=4)
HALF = dict(rope_parameters=dict(rope_type="default", rope_theta=1e4, partial_rotary_factor=0.5))
# A family, its config, and where its maps and its norm are: one tensor each, or one for three.
SPLIT = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj", "input_layernorm")
MODELS = [
    ("bert", BERT, ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", None)),
    ("gpt2", dict(n_layer=2, n_embd=32, n_head=4), ("attn.c_attn",) * 3 + ("attn.c_proj", "ln_1")),
    ("gpt_neox", dict(BERT, **HALF), ("attention.query_key_value",) * 3 + ("attention.dense", "input_layernorm")),
    ("llama", gqa(4), SPLIT),
    ("llama", gqa(2), SPLIT),
    ("llama", gqa(2, attention_bias=True), SPLIT),
    ("llama", gqa(2, 40), SPLIT), # heads wider than tokens
    ("qwen2", gqa(2), SPLIT),
    ("gemma", gqa(1, 16), SPLIT),
    ("gemma2", gqa(2, 16), SPLIT),
    ("granite", gqa(2), SPLIT),
    ("phi3", gqa(2), ("self_attn.qkv_proj",) * 3 + ("self_attn.o_proj", "input_layernorm")),
    ("gpt_oss", dict(gqa(2, 8), num_local_experts=4), SPLIT),
    ("qwen3", gqa(2, 16), SPLIT),
    ("gemma3_text", gqa(2, 16), SPLIT),
]
NORMED = ("qwen3", "gemma3_text")

class Layer:
    """The attention of a layer: views of its weights, (heads, width, d) each, and of its biases."""

    def __init__(self, kind, model, names, number):
        config = model.config
        module = dict(model.named_modules())
        here = next(n for n in module if n.endswith(f".{number}") or n.endswith(f"layer.{number}") or n == f"h.{number}")
        parts = [module[f"{here}.{name}"] if name else None for name in names]
        self.heads = config.num_attention_heads
        self.groups = getattr(config, "num_key_value_heads", None) or self.heads
        d = config.hidden_size
        width = getattr(config, "head_dim", None) or d // self.heads
        share = (getattr(config, "rope_parameters", None) or {}).get("partial_rotary_factor", 1.0)
        self.rope = 0 if kind in ("bert", "gpt2") else int(width * share)
        self.norm, self.from_1 = parts[4], kind.startswith("gemma")
        flip = (lambda w: w.T) if kind == "gpt2" else (lambda w: w)
        heads = [self.heads, self.groups, self.groups]
        if kind == "gpt_neox":
            whole = parts[0].weight.data.view(self.heads, 3, width, d)
            bias = parts[0].bias.data.view(self.heads, 3, width)
            self.w = [whole[:, i] for i in range(3)]
            self.b = [bias[:, i] for i in range(3)]
        elif parts[0] is parts[1]:
            sizes = [n * width for n in heads]
            self.w = [w.unflatten(0, (-1, width)) for w in flip(parts[0].weight.data).split(sizes)]
            bias = parts[0].bias
            self.b = [b.view(-1, width) for b in bias.data.split(sizes)] if bias is not None else [None] * 3
        else:
            self.w = [p.weight.data.view(-1, width, d) for p in parts[:3]]
            self.b = [p.bias.data.view(-1, width) if p.bias is not None else None for p in parts[:3]]
        self.o = flip(parts[3].weight.data).unflatten(1, (self.heads, width)) # (d, heads, width)
        self.b_o = parts[3].bias.data if parts[3].bias is not None else None

def turned_scores(layer):
    """An A for each group between W^Q and W^K': any, or a rotation and a factor for each pair of rotated columns."""
    k, r = layer.w[1].shape[1], layer.rope
    a = torch.zeros(layer.groups, k, k)
    a[:, r:, r:] = torch.randn(layer.groups, k - r, k - r)
    for i in range(r // 2):
        x, y = torch.randn(2, layer.groups)
        a[:, i, i], a[:, i, i + r // 2] = x, -y
        a[:, i + r // 2, i], a[:, i + r // 2, i + r // 2] = y, x
    return a

def times(w, a):
    """Columns of heads times A, where w has them as rows; several heads may share an A."""
    return torch.einsum("hk...,hkj->hj...", w, a.repeat_interleave(w.shape[0] // a.shape[0], 0))

def turn(layer, kind, permute=True):
    """Writes the layer in other matrices, which compute the same. Returns where its heads are then."""
    groups, each = layer.groups, layer.heads // layer.groups
    if layer.norm is not None: # its gains go into the maps
        gain = layer.norm.weight.data + layer.from_1
        shift = getattr(layer.norm, "bias", None)
        for w, b in zip(layer.w, layer.b):
            if shift is not None:
                b += w @ shift.data
            w *= gain
        layer.norm.weight.data.fill_(0.0 if layer.from_1 else 1.0)
        if shift is not None:
            shift.data.zero_()
    if kind not in NORMED:
        a = turned_scores(layer)
        back = torch.linalg.inv(a).transpose(1, 2)
        for i, by in ((0, a), (1, back)):
            layer.w[i].copy_(times(layer.w[i], by))
            if layer.b[i] is not None:
                layer.b[i].copy_(times(layer.b[i], by))
        if layer.b[1] is not None: # the softmax cancels it
            layer.b[1][:, layer.rope:] += torch.randn_like(layer.b[1][:, layer.rope:])
    a = torch.randn(groups, layer.w[2].shape[1], layer.w[2].shape[1])
    layer.w[2].copy_(times(layer.w[2], a))
    back = torch.linalg.inv(a).transpose(1, 2).repeat_interleave(each, 0)
    if layer.b[2] is not None:
        layer.b[2].copy_(times(layer.b[2], a))
    layer.o.copy_(torch.einsum("dhk,hkj->dhj", layer.o, back))
    if layer.b[2] is not None and layer.b_o is not None and kind != "gpt_oss": # weights sum to 1
        more = torch.randn_like(layer.b[2])
        layer.b[2] += more
        layer.b_o -= torch.einsum("dhk,hk->d", layer.o, more.repeat_interleave(each, 0))
    if kind == "gpt_oss" or not permute: # each head has its sink
        return list(range(layer.heads))
    order = torch.randperm(groups)
    within = torch.stack([g * each + torch.randperm(each) for g in order]).flatten()
    for i, by in ((0, within), (1, order), (2, order)):
        layer.w[i].copy_(layer.w[i][by].clone())
        if layer.b[i] is not None:
            layer.b[i].copy_(layer.b[i][by].clone())
    layer.o.copy_(layer.o[:, within].clone())
    return within.tolist()

def check_factors(kind, model, names, path):
    """The arrays of --npy, which are those of the model's own modules, give M and N."""
    arrays = path + "-npy"
    subprocess.run([qkv, "open", path, "--npy", arrays], check=True)
    for number in range(2):
        layer = Layer(kind, model, names, number)
        w = {name: torch.tensor(numpy.load(f"{arrays}/layer-{number + 1}-W_{name}.npy")) for name in "QKVO"}
        for name, wanted, bias in zip("QKV", layer.w, layer.b):
            zero = wanted.new_zeros(wanted.shape[:2])
            pairs = list(range(wanted.shape[1]))
            if name != "V": # the two columns of a rotated pair are side by side
                pairs[:layer.rope] = [i for a in range(layer.rope // 2) for i in (a, a + layer.rope // 2)]
            wanted = torch.cat([wanted, (zero if bias is None else bias)[:, :, None]], 2)[:, pairs]
            if not torch.equal(w[name], wanted.transpose(1, 2)):
                print("wrong", kind, "npy", name)
        if not torch.equal(w["O"], layer.o.permute(1, 2, 0)):
            print("wrong", kind, "npy O")

def random_model(number, kind, settings):
    torch.manual_seed(number)
    more = dict(vocab_size=99, max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2)
    if kind != "gpt2":
        more["intermediate_size"] = 40
    model = AutoModel.from_config(AutoConfig.for_model(kind, **{**more, **settings})).eval().float()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn_like(p) * 0.3)
    return model

def check_facts(kind, model, names, path):
    """Singular values and eigenvalues of heads, as torch finds them in M and N themselves."""
    for row in rows("open", path, "--heads"):
        layer, i = Layer(kind, model, names, int(row["layer"]) - 1), int(row["head"]) - 1
        q, k, v = (w[i * len(w) // layer.heads].double() for w in layer.w)
        m, n = q.T @ k, v.T @ layer.o[:, i].T.double()
        wanted = {}
        for name, product in (("M", m), ("N", n)):
            s = torch.linalg.svdvals(product)[:len(q if name == "M" else v)]
            wanted["rank_" + name] = 1 + int((s.square().cumsum(0) < 0.99 * s.square().sum()).sum())
            wanted["least_" + name] = float(s[-1] / s[0])
        wanted["symmetric"] = float((m + m.T).square().sum() / m.square().sum() / 4)
        values = torch.linalg.eigvals(n)
        wanted["copying"] = float(values.sum().real / values.abs().sum())
        for name, value in wanted.items():
            if abs(float(row[name]) - value) > 0.0051 + (0.05 * value if "least" in name else 0):
                print("wrong", kind, name, row, value)

for number, (kind, settings, names) in enumerate(MODELS):
    model = random_model(number, kind, settings)
    first, second = (os.path.join(folder, f"{kind}{number}{end}") for end in ("", "-turned"))
    model.save_pretrained(first)
    check_facts(kind, model, names, first)
    check_factors(kind, model, names, first)
    ids = torch.randint(3, 99, (2, 12))
    with torch.no_grad():
        wanted = model(ids).last_hidden_state
        places = [turn(Layer(kind, model, names, i), kind) for i in range(2)]
        apart = float((model(ids).last_hidden_state - wanted).abs().max() / wanted.abs().max())
    model.save_pretrained(second)
    if apart > 1e-3:
        print("wrong", kind, "the copy is another function", apart)
    heads = rows("open", first, "--against", second, "--heads")
    layers = rows("open", first, "--against", second)
    for layer, found in enumerate(places):
        as_ = [int(row["as"]) for row in heads if row["layer"] == str(layer + 1)]
        if [found.index(i) + 1 for i in range(len(found))] != as_:
            print("wrong", kind, "layer", layer + 1, "heads", as_, "are", found)
    worst = dict(M=0.0, N=0.0, constant=0.0)
    for row in heads + layers:
        for name in worst:
            if row[name] != "NA":
                worst[name] = max(worst[name], float(row[name]))
        stored = [float(row[name]) for name in (("W_V", "W_O") if kind in NORMED else ("W_Q", "W_K", "W_V", "W_O"))]
        if min(stored) < 0.3:
            print("wrong", kind, "maps are said to be alike", stored)
        if (row["M"] == "NA") != (kind in NORMED):
            print("wrong", kind, "M", row["M"])
        if any(abs(float(row[f"rank_{m}"]) - float(row[f"rank_{m}_there"])) > 0.01 for m in "MN" if row[f"rank_{m}"] != "NA"):
            print("wrong", kind, "ranks", row)
    if max(worst.values()) > 1e-4:
        print("wrong", kind, worst)
    # And what moved is seen where it moved.
    with torch.no_grad():
        layer = Layer(kind, model, names, 1)
        layer.o[:, 0] *= 1.25
    third = first + "-moved"
    model.save_pretrained(third)
    moved = {int(r["head"]): float(r["N"]) for r in rows("open", second, "--against", third, "--heads") if r["layer"] == "2"}
    if abs(moved.pop(1) - 0.25) > 1e-4 or max(moved.values(), default=0) > 1e-4:
        print("wrong", kind, "one head's N is a quarter larger", moved)
    print("ok", kind, "turned", apart, worst)

def digest(directory):
    """What is in a directory."""
    return {name: hashlib.sha256(open(os.path.join(directory, name), "rb").read()).hexdigest() for name in os.listdir(directory)}

def last(model, ids):
    with torch.no_grad():
        return model(ids).last_hidden_state

def check_nearest(kind, path, names, groups):
    """Nothing is nearer to N of a random model than its largest singular vectors."""
    old = AutoModel.from_pretrained(path).eval().float()
    for i, row in enumerate(rows("open", path, "--kv-heads", str(groups))):
        layer = Layer(kind, old, names, i)
        v = layer.w[2].double()
        if layer.norm is not None:
            v = v * (layer.norm.weight.detach().double() + layer.from_1)
        if layer.b[2] is not None and layer.b_o is None or kind == "gpt_oss":
            v = torch.cat([v, layer.b[2].double()[:, :, None]], 2)
        n = torch.einsum("hvi,dhv->hdi", v.repeat_interleave(layer.heads // layer.groups, 0), layer.o.double())
        size, left = 0.0, 0.0
        for group in n.reshape(groups, -1, n.shape[2]):
            values = torch.linalg.svdvals(group) ** 2
            size, left = size + float(values.sum()), left + float(values[v.shape[1]:].sum())
        if abs(float(row["N"]) - (left / size) ** 0.5) > 2e-3 or float(row["M"]) >= float(row["M_of_mean"]):
            print("wrong", kind, "not the nearest", row, (left / size) ** 0.5)

# Heads whose keys are the same but for gauge need only one of them, and --kv-heads finds it;
# the mean of what they have is something else.
SHARED = [
    ("llama", gqa(4), 2, SPLIT),
    ("llama", gqa(4, attention_bias=True), 1, SPLIT),
    ("llama", gqa(2, 12), 1, SPLIT),
    ("mistral", gqa(4, sliding_window=None), 2, SPLIT),
    ("qwen2", gqa(4), 2, SPLIT),
    ("gemma", gqa(4, 16), 2, SPLIT),
    ("gemma2", gqa(2, 16), 1, SPLIT),
    ("granite", gqa(4), 1, SPLIT),
    ("phi3", gqa(4), 2, ("self_attn.qkv_proj",) * 3 + ("self_attn.o_proj", "input_layernorm")),
    ("gpt_oss", dict(gqa(4, 8), num_local_experts=4), 2, SPLIT),
]
for number, (kind, settings, groups, names) in enumerate(SHARED):
    model = random_model(100 + number, kind, settings)
    wide, narrow, random_ = (os.path.join(folder, f"{kind}{number}{end}") for end in ("-wide", "-narrow", "-random"))
    shard = {"max_shard_size": "20KB"} if kind == "llama" else {}
    model.save_pretrained(random_, **shard)
    with torch.no_grad():
        for i in range(2):
            layer = Layer(kind, model, names, i)
            each = layer.groups // groups
            for w in layer.w[1:] + layer.b[1:]: # all heads of a group have those of its first one
                if w is not None:
                    w.copy_(w[::each].repeat_interleave(each, 0))
            turn(layer, kind, permute=False)
    model.save_pretrained(wide, **shard)
    before = digest(wide)
    errors = rows("open", wide, "--kv-heads", str(groups), "--out", narrow)
    if digest(wide) != before:
        print("wrong", kind, "the source was written to")
    new = AutoModel.from_pretrained(narrow).eval().float()
    ids = torch.randint(3, 99, (2, 12))
    wanted = last(model, ids)
    apart = float((last(new, ids) - wanted).abs().max() / wanted.abs().max())
    for map_ in (1, 2): # or 16 bits would lose digits of W^Q, or of W^K
        was, now = (Layer(kind, m, names, 0).w[map_].norm(dim=2).mean() for m in (model, new))
        if not 0.7 < now / was < 1.4:
            print("wrong", kind, "keys or values have another size", map_, float(was), float(now))
    if new.config.num_key_value_heads != groups or apart > 1e-3:
        print("wrong", kind, "is another function with fewer groups", new.config.num_key_value_heads, apart)
    worst = max(float(row[name]) for row in errors for name in "MN")
    mean = min(float(row[name]) for row in errors for name in ("M_of_mean", "N_of_mean"))
    if worst > 1e-3 or mean < 0.1:
        print("wrong", kind, "errors", errors)
    check_nearest(kind, random_, names, groups)
    for half in (torch.float16, torch.bfloat16): # as the same numbers in F32 give it, rounded once more
        few = {}
        for bits in (half, torch.float32):
            many, out = (f"{path}-{half}-{bits}" for path in (wide, narrow))
            model.to(half).to(bits).save_pretrained(many, **shard)
            rows("open", many, "--kv-heads", str(groups), "--out", out)
            few[bits] = AutoModel.from_pretrained(out).state_dict()
        for name, w in few[half].items():
            same = (w == few[torch.float32][name].to(half)).double().mean()
            if "norm" not in name and (w.dtype != half or same < 0.998): # two roundings may differ from one
                print("wrong", kind, half, name, w.dtype, float(same))
    print("ok", kind, "kv-heads", apart, worst, "mean", mean)
# Of families that cannot have fewer keys, only the errors are printed: of maps in one tensor, too.
for kind, settings, names in MODELS[:3]:
    for groups in (1, 2):
        path = os.path.join(folder, f"{kind}-{groups}")
        random_model(groups, kind, settings).save_pretrained(path)
        check_nearest(kind, path, names, groups)
    print("ok", kind, "kv-heads, errors only")
for kind, settings, groups, said in (("bert", BERT, 2, "ignores num_key_value_heads"), ("qwen3", gqa(4, 16), 2, "norms q and k")):
    old, new = (os.path.join(folder, kind + end) for end in ("-many", "-few"))
    random_model(1, kind, settings).save_pretrained(old)
    done = subprocess.run([qkv, "open", old, "--kv-heads", str(groups), "--out", new], capture_output=True, text=True)
    right = done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1 and not os.path.exists(new)
    print("ok" if right else "wrong", kind, "kv-heads refused", "" if right else done)

# A model of texts within another one, in shards, whose embedding is also its last matrix: what
# --slim and --kv-heads write is loaded by transformers, and computes the same.
text = dict(model_type="llama", vocab_size=99, intermediate_size=40, tie_word_embeddings=True, **gqa(4))
eye = dict(model_type="clip_vision_model", hidden_size=32, intermediate_size=40, num_hidden_layers=1, num_attention_heads=4, image_size=8, patch_size=4)
torch.manual_seed(1)
model = AutoModelForImageTextToText.from_config(AutoConfig.for_model("llava", text_config=text, vision_config=eye, tie_word_embeddings=True)).eval().float()
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.randn_like(p) * 0.3)
    for layer in model.model.language_model.layers: # two heads each have the same keys and values
        for w in (layer.self_attn.k_proj.weight, layer.self_attn.v_proj.weight):
            w.copy_(w.view(2, 2, 8, 32)[:, :1].expand(2, 2, 8, 32).reshape(32, 32))
path = os.path.join(folder, "llava")
model.save_pretrained(path, max_shard_size="20KB")
ids = torch.randint(3, 99, (2, 12))
with torch.no_grad():
    wanted = model(ids).logits
for out, more in ((path + "-slim", ["--slim", path + "-slim"]), (path + "-few", ["--kv-heads", "2", "--out", path + "-few"])):
    rows("open", path, *more)
    with torch.no_grad():
        new = AutoModelForImageTextToText.from_pretrained(out).eval().float()
        apart = float((new(ids).logits - wanted).abs().max() / wanted.abs().max())
    print("ok" if apart < 1e-4 else "wrong", "llava", out, apart)
