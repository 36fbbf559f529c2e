"""in_transformers.py QKV DIR - models as the package `transformers` builds them, without
memory: the parameters of their attention are those that `qkv count --config` and `qkv
list --models` have, to the integer. A line for each that was compared."""
import collections
import csv
import glob
import inspect
import json
import os
import re
import subprocess
import sys

import numpy
import torch
import transformers
from transformers import AutoConfig, AutoModel
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

qkv, folder = sys.argv[1:3]

def gqa(layers, d, heads, groups, head=None, **more):
    sizes = dict(num_hidden_layers=layers, hidden_size=d, num_attention_heads=heads,
                 num_key_value_heads=groups, **more)
    return dict(sizes, head_dim=head) if head else sizes

def mla(layers, d, heads, **more):
    return gqa(layers, d, heads, heads, **{**dict(
        qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, kv_lora_rank=512,
        q_lora_rank=1536, n_routed_experts=8, n_group=1, topk_group=1), **more})

def bert(layers, d, heads):
    return dict(num_hidden_layers=layers, hidden_size=d, num_attention_heads=heads)

# Keys that are values and wider heads in global layers; and ten layers without their own.
GEMMA4 = dict(global_head_dim=24, num_global_key_value_heads=2, attention_k_eq_v=True, num_kv_shared_layers=10,
              intermediate_size=40, vocab_size_per_layer_input=99, hidden_size_per_layer_input=4)

# The name of a row, or none; the class; what its config says.
MODELS = [
    ("bert-base", "bert", {}),
    ("bert-large", "bert", bert(24, 1024, 16)),
    ("roberta-large", "roberta", bert(24, 1024, 16)),
    ("gpt2", "gpt2", {}),
    ("gpt-neox-20b", "gpt_neox", {}),
    ("llama-7b", "llama", {}),
    ("llama-2-70b", "llama", gqa(80, 8192, 64, 8)),
    ("llama-3-8b", "llama", gqa(32, 4096, 32, 8)),
    ("llama-3-405b", "llama", gqa(126, 16384, 128, 8)),
    ("", "llama", gqa(2, 64, 4, 2, attention_bias=True)),
    ("mistral-7b", "mistral", {}),
    ("mixtral-8x7b", "mixtral", {}),
    ("qwen2-0.5b", "qwen2", gqa(24, 896, 14, 2)),
    ("qwen2-7b", "qwen2", gqa(28, 3584, 28, 4)),
    ("", "qwen2", gqa(4, 64, 4, 2, use_sliding_window=True, sliding_window=8, max_window_layers=2)),
    ("qwen3-0.6b", "qwen3", gqa(28, 1024, 16, 8, 128)),
    ("gemma-7b", "gemma", {}),
    ("gemma-2-2b", "gemma2", {}),
    ("gemma-2-9b", "gemma2", gqa(42, 3584, 16, 8, 256)),
    ("gemma-3-1b", "gemma3_text", gqa(26, 1152, 4, 1, 256, sliding_window=512)),
    ("gemma-4-text", "gemma4_text", {}),
    ("", "gemma4_text", gqa(24, 64, 8, 4, 16, **GEMMA4)),
    ("", "gemma4_text", gqa(24, 64, 8, 4, 16, attention_bias=True, **GEMMA4)),
    ("", "gemma4", dict(text_config=gqa(24, 64, 8, 4, 16, **GEMMA4))),
    ("", "olmo", {}),
    ("", "granite", gqa(4, 64, 4, 2)),
    ("", "qwen3_moe", gqa(4, 64, 4, 2, 32)),
    ("phi-3-mini", "phi3", {}),
    ("gpt-oss-20b", "gpt_oss", gqa(24, 2880, 64, 8, 64)),
    ("gpt-oss-120b", "gpt_oss", {}),
    ("olmo-2-7b", "olmo2", {}),
    ("deepseek-v2", "deepseek_v2", mla(60, 5120, 128)),
    ("deepseek-v2-lite", "deepseek_v2", mla(27, 2048, 16, q_lora_rank=None)),
    ("deepseek-v3", "deepseek_v3", mla(61, 7168, 128)),
    ("kimi-k2", "deepseek_v3", mla(61, 7168, 64)),
]
ATTENTION = r"(?<!head)\.(self_attn|self_attention|attention|attn)\.(?!output\.LayerNorm|LayerNorm|self_attn_layer_norm)"
PARTS = dict(encoder=r"^encoder\..*(self_attn|SelfAttention)\.", decoder=r"^decoder\..*(self_attn|SelfAttention)\.",
             cross=r"(encoder_attn|EncDecAttention)\.")

def rows(*arguments):
    """What qkv prints, a dictionary a row, and what it says."""
    done = subprocess.run([qkv, *arguments, "--tsv"], capture_output=True, text=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    if done.returncode or len(lines) < 2:
        sys.exit(f"{arguments}: {done.stderr}")
    return [dict(zip(lines[0], line)) for line in lines[1:]], done.stderr

def types_of(config):
    """Of each layer: is it sliding, or linear? Words that some classes have are translated."""
    types = [getattr(config, key, None) for key in ("layer_types", "attention_layers", "layers_block_type")]
    words = {"local": "sliding_attention", "chunked_attention": "sliding_attention", "mamba": "linear_attention",
             "conv": "linear_attention", "hybrid": "full_attention"}
    return [words.get(word, word) for word in (list(filter(None, types)) or [["sliding_attention"] * config.num_hidden_layers])[0]]

def cached(config, tokens):
    """The numbers that a decoder keeps of so many tokens, in the layers that keep any."""
    layers, types = range(config.num_hidden_layers), types_of(config)
    windows = [getattr(config, key, None) for key in ("sliding_window", "window_size", "attention_chunk_size")]
    window = next(filter(None, windows), tokens)
    sharing = getattr(config, "kv_sharing_modes", types)
    total = 0
    for i in layers:
        own = config.per_layer_config[i] if config.is_heterogeneous else config
        head = getattr(own, "head_dim", None) or own.hidden_size // own.num_attention_heads
        groups = getattr(own, "num_key_value_heads", None) or own.num_attention_heads
        if own.model_type == "falcon": # which would keep copies for all heads
            groups = own.num_kv_heads if own.new_decoder_architecture else 1 if own.multi_query else groups
        columns = 2 * head * groups
        if getattr(own, "kv_lora_rank", None):
            columns = own.kv_lora_rank + own.qk_rope_head_dim
        seen = min(window, tokens) if types[i] == "sliding_attention" else tokens
        if sharing[i] != "reuse" and types[i] != "linear_attention" and "encodes" not in FAMILIES[config.model_type]["has"]:
            total += columns * seen
    return total

def built(config):
    """The model without memory, as far as it can do without."""
    try:
        with torch.device("meta"):
            if config.model_type == "siglip_text_model":
                return transformers.SiglipTextModel(config)
            return AutoModel.from_config(config)
    except TypeError:
        return AutoModel.from_config(config)

def stored(model, which=ATTENTION):
    """The parameters of attention, without layers that have no softmax."""
    linear = [i for i, t in enumerate(types_of(model.config.get_text_config())) if t == "linear_attention"] if which == ATTENTION else []
    number = lambda name: int((re.findall(r"layers\.(\d+)\.", name) or [-1])[0])
    return sum(p.numel() for n, p in model.named_parameters() if re.search(which, n) and number(n) not in linear)

def saved(settings):
    path = os.path.join(folder, "config.json")
    with open(path, "w") as file:
        json.dump(settings, file)
    return path

def whole(config):
    return json.loads(config.to_json_string(use_diff=False))

with open(os.path.join(os.path.dirname(__file__), "../core/models/families.tsv")) as file:
    FAMILIES = {row["model_type"]: row for row in csv.DictReader(file, delimiter="\t")}

with open(os.path.join(os.path.dirname(__file__), "../core/models/keys.tsv")) as file:
    KEYS = {row["key"]: row for row in csv.DictReader(file, delimiter="\t")}

def functions(settings):
    """The keys of a config.json that change the function of attention, also those in objects."""
    for key, value in settings.items():
        meaning = KEYS.get(key, {}).get("meaning")
        if isinstance(value, dict) and meaning == "more":
            yield from functions(value)
        elif meaning == "function":
            yield key, value

# A function that a class has unless its file says another one is a default of families.tsv.
for kind, row in FAMILIES.items():
    if "#" in row["q"] and kind in CONFIG_MAPPING_NAMES:
        defaults = dict(functions(json.loads(row["defaults"])))
        for key, value in functions(AutoConfig.for_model(kind).to_dict()):
            harmless = KEYS[key]["unless"].split() + ["-"]
            if json.dumps(value).strip('"') not in harmless and defaults.get(key) != value:
                print("wrong", kind, "families.tsv lacks the default", key, value)

# What a class has to be given besides sizes.
NEEDS = {"ministral": dict(head_dim=16), "gpt_bigcode": dict(num_key_value_heads=1), 
         "dots1": dict(n_shared_experts=1, moe_intermediate_size=40, n_routed_experts=4, n_group=1, topk_group=1,
                       num_experts_per_tok=2, first_k_dense_replace=1),
         "glm4_moe": dict(head_dim=16), "gptj": dict(rotary_dim=4), "codegen": dict(rotary_dim=4),
         "nemotron": dict(num_key_value_heads=2), "esm": dict(vocab_size=33, pad_token_id=1, mask_token_id=2),
         "lfm2_moe": dict(layer_types=["full_attention", "conv"]), "vit": dict(qkv_bias=True), "dinov2": dict(qkv_bias=True),
         "gemma3n_text": dict(num_kv_shared_layers=0), "gpt_neo": dict(attention_types=[[["global", "local"], 1]])}
# Small layers without softmax; and lists about four layers, of which the first ones are taken.
EXPERTS = dict(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=20, shared_expert_intermediate_size=20)
MAMBA2 = dict(mamba_n_heads=8, mamba_n_groups=2, mamba_d_state=6, mamba_expand=2, mamba_d_conv=4)
DELTA = dict(linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=6, linear_value_head_dim=10,
             linear_conv_kernel_dim=3)
KIMI = dict(num_local_experts=4, num_experts_per_tok=2, moe_intermediate_size=20, linear_head_dim=8, linear_num_heads=3,
            linear_conv_kernel_dim=4, q_lora_rank=None)
TINY_STATES = {"qwen3_next": {**EXPERTS, **DELTA}, "qwen3_5_text": DELTA, "qwen3_5_moe_text": {**EXPERTS, **DELTA},
               "jamba": dict(attn_layer_period=2, attn_layer_offset=1, mamba_d_state=6, num_experts=2, use_mamba_kernels=False),
               "bamba": dict(attn_layer_indices=[1], **MAMBA2), "granitemoehybrid": dict(num_local_experts=2, **MAMBA2),
               "falcon_h1": {**MAMBA2, "mamba_d_ssm": 128, "mamba_d_head": 16}, "minimax": dict(num_local_experts=2),
               "lfm2": dict(full_attn_idxs=[1]), "lfm2_moe": dict(num_experts=4, moe_intermediate_size=20), "kimi_linear": KIMI}
BOTH = ["linear_attention", "full_attention", "linear_attention", "linear_attention"]
LISTS = {"granitemoehybrid": dict(layer_types=BOTH), "kimi_linear": dict(layer_types=BOTH), "lfm2_moe": dict(layer_types=["full_attention", "conv"] * 2),
         "gpt_neo": dict(attention_types=[[[word], 1] for word in ("global", "local", "local", "global")]), "smollm3": dict(no_rope_layers=[0, 1, 1, 0])}
SWITCHES = "attention_bias use_bias enable_bias use_qkv_bias qkv_bias".split()

def sized(kind, layers, d, heads, groups=None):
    """Sizes as the class calls them. Heads of keys and values have a name in all classes
    that have them."""
    name = AutoConfig.for_model(kind).attribute_map
    sizes = dict(bert(layers, d, heads), **({"num_key_value_heads": groups} if groups else {}))
    return {name.get(key, key): value for key, value in sizes.items()}

def altered(kind, layers=4, d=64):
    """Other sizes, heads that share keys, and biases where the class has none by default."""
    config, row = AutoConfig.for_model(kind), FAMILIES[kind]
    lists = {key: value[:layers] for key, value in LISTS.get(kind, {}).items()}
    if "latent" in row["has"]:
        return {**bert(layers, d, 4), **dict(num_key_value_heads=4, kv_lora_rank=20, q_lora_rank=24, qk_nope_head_dim=12,
                                             qk_rope_head_dim=8, v_head_dim=10), **TINY_STATES.get(kind, {}), **lists}
    shared = "kv-heads" not in row["ignores"]
    more = {key: not getattr(config, key) for key in SWITCHES if hasattr(config, key)}
    if "head_dim" in config.to_dict():
        more["head_dim"] = 24 if layers > 2 and kind != "helium" else d // 4
    if "window" not in row["ignores"] and layers > 2:
        own = [key for key in ("window_size", "attention_chunk_size", "local_attention") if hasattr(config, key)]
        more[(own + ["sliding_window"])[0]] = 8
    return {**sized(kind, layers, d, 4, 2 if shared else None), **more, **NEEDS.get(kind, {}), **TINY_STATES.get(kind, {}), **lists}

OLD = {kind for _, kind, _ in MODELS} | {"transformer", "kimi_k2"}
DIVIDED = [kind for kind, row in FAMILIES.items() if row["has"] == "parts"]
MODELS += [("", "falcon", dict(sized("falcon", 3, 64, 4), **more)) for more in (
    dict(new_decoder_architecture=True, num_kv_heads=2), dict(multi_query=False, bias=True))]
MODELS += [("", "gemma3n_text", gqa(10, 64, 4, 2, 16, num_kv_shared_layers=4)), ("", "qwen3_next", {}), ("", "kimi_linear", {}),
           ("", "llama4_text", dict(use_qk_norm=False))]
for kind in FAMILIES:
    if kind not in [*OLD, *DIVIDED]:
        few = AutoConfig.for_model(kind).attribute_map.get("num_hidden_layers", "num_hidden_layers")
        MODELS += [("", kind, {few: 2, **NEEDS.get(kind, {})}), ("", kind, altered(kind)), ("", kind, altered(kind, 2, 32))]
published = {row["model"]: row for row in rows("list", "--models")[0]}
compared = set()
for name, kind, settings in MODELS:
    config = AutoConfig.for_model(kind, **settings)
    wanted, path = stored(built(config)), saved(whole(config))
    (row,), said = rows("count", "--config", path)
    if "not known" in said:
        print("wrong", name or kind, said.strip())
    if float(row["parameters"]) != wanted:
        print("wrong", name or kind, "config", row["parameters"], "transformers", wanted)
    if name and float(published[name]["parameters"]) != wanted:
        print("wrong", name, published[name]["parameters"], "transformers", wanted)
    bytes_ = 2 * cached(config.get_text_config(), 32768)
    for which in [row] + ([published[name]] if name else []):
        if float(which["cache_bytes"]) != bytes_:
            print("wrong", name or kind, "cache", which["cache_bytes"], "transformers", bytes_)
    print("ok", name or kind)
    compared.add(name)
# Where config.json says no more than the sizes that it has to say, the rest is what the
# class takes for them.
NEED_MORE = {"transformer", "kimi_k2", "gemma4", "nemotron", "ministral", "dots1", "gpt_neo", "gemma3n_text", "esm"}
for kind in set(FAMILIES) - NEED_MORE - set(TINY_STATES) - set(DIVIDED):
    sizes = sized(kind, 6, 4096, 32) if kind != "helium" else gqa(6, 2560, 20, 20)
    if FAMILIES[kind]["has"].endswith("latent"):
        sizes.update(qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, kv_lora_rank=512)
    config = AutoConfig.for_model(kind, **sizes)
    wanted, bytes_ = stored(built(config)), 2 * cached(config, 32768)
    told = {"layer_types": config.layer_types} if FAMILIES[kind]["every"] == "-1" else {}
    (row,), _ = rows("count", "--config", saved(dict(sizes, model_type=kind, **told)))
    same = float(row["parameters"]) == wanted and float(row["cache_bytes"]) == bytes_
    print("ok" if same else "wrong", kind, "by default", row["parameters"], wanted, row["cache_bytes"], bytes_)

# What a cache has kept of 12 tokens: keys and values, and the state of layers without
# softmax, as a model that runs leaves them.
def kept(cache):
    tensors = [t for layer in cache.layers for name in ("keys", "values") if torch.is_tensor(t := getattr(layer, name, None))]
    states = [t for layer in cache.layers for name in ("conv_states", "recurrent_states")
              for t in dict(getattr(layer, name, {}) or {}).values() if torch.is_tensor(t)]
    states += [t for t in getattr(cache, "linear_cache", []) if torch.is_tensor(t)]
    return [sum(t.numel() for t in tensors), sum(t.numel() for t in states)]

SMALL_VOCABULARY = dict(vocab_size=99, pad_token_id=0, bos_token_id=1, eos_token_id=2)
for kind in TINY_STATES:
    config = AutoConfig.for_model(kind, **{**altered(kind), **SMALL_VOCABULARY, "intermediate_size": 40})
    with torch.no_grad():
        wanted = kept(AutoModel.from_config(config).eval()(torch.ones((1, 12), dtype=torch.long), use_cache=True).past_key_values)
    (row,), _ = rows("count", "--config", saved(whole(config)), "--length", "12")
    got = [float(row["cache_bytes"]) / 2, float(row["state_bytes"]) / 2]
    print("ok" if got == wanted and wanted[1] else "wrong", kind, "cache and state", got, wanted)
    # Nobody may take it for another model, whose layers all have a softmax.
    done = subprocess.run([qkv, "count", "--config", saved(dict(whole(config), model_type="llama", sliding_window=None))], capture_output=True, text=True)
    refused = done.returncode == 1 and "softmax" in done.stderr + ("layer-types" in done.stderr) * "softmax"
    print("ok" if refused else "wrong", kind, "as a llama", done.stderr.strip())

# Encoders, decoders and the attention between them, one by one.
for kind, more in [(kind, more) for kind in DIVIDED for more in ({}, dict(d_model=24), dict(d_model=48))]:
    if more:
        parts = dict(num_layers=2, num_decoder_layers=3, num_heads=3, d_kv=10) if "t5" in kind else dict(
            encoder_layers=2, decoder_layers=3, encoder_attention_heads=3, decoder_attention_heads=4)
        more = {**more, **parts, **SMALL_VOCABULARY, "decoder_start_token_id": 1, "vocab_size": 999, "max_target_positions": 64}
    config = AutoConfig.for_model(kind, **more)
    model, sizes = built(config), []
    if more:
        with torch.no_grad():
            cache = AutoModel.from_config(config).eval()(decoder_input_ids=torch.ones((1, 12), dtype=torch.long), use_cache=True,
                encoder_outputs=(torch.randn(1, 12, config.d_model),)).past_key_values
        sizes = [0, kept(cache.self_attention_cache)[0], kept(cache.cross_attention_cache)[0]]
    for i, (part, which) in enumerate(PARTS.items()):
        (row,), said = rows("count", "--config", saved(whole(config)), "--part", part, "--length", "12")
        got = [float(row["parameters"])] + [float(row["cache_bytes"]) / 2] * bool(more)
        wanted = [stored(model, which)] + sizes[i:i + 1]
        print("ok" if got == wanted and "not known" not in said else "wrong", kind, part, got, wanted, said)
for kind, part in ("clip", "vision"), ("clip", "text"), ("siglip", "vision"):
    config = AutoConfig.for_model(kind)
    (row,), _ = rows("count", "--config", saved(whole(config)), "--part", part)
    wanted = stored(built(getattr(config, f"{part}_config")))
    print("ok" if float(row["parameters"]) == wanted else "wrong", kind, part, row["parameters"], wanted)

# Every type that the package has, with its own sizes: equal, or not counted. A third
# argument prints them one by one.
def compare_type(kind):
    try:
        config = AutoConfig.for_model(kind)
        text = whole(config)
    except Exception:
        return "not built", "it has no default configuration"
    done = subprocess.run([qkv, "count", "--config", saved(text), "--columns", "parameters,cache_bytes", "--tsv"],
                          capture_output=True, text=True)
    if done.returncode:
        return "no row" if "families.tsv" in done.stderr else "refused", done.stderr.strip().rpartition("json: ")[2]
    got = [float(cell) for cell in done.stdout.split()[-2:]]
    try:
        model = built(config.get_text_config())
    except Exception as error:
        return "not built", str(error)
    wanted = [stored(model), 2 * cached(config.get_text_config(), 32768)]
    return "equal" if got == wanted else "different", f"{got} {wanted}"

types = {kind: compare_type(kind) for kind in CONFIG_MAPPING_NAMES}
for kind, (result, why) in types.items():
    if sys.argv[3:] or result == "different":
        print("wrong" if result == "different" else "ok", "type", kind, result, why)
results = collections.Counter(result for result, _ in types.values())
print(f"hf: {len(types)} types of transformers {transformers.__version__}:", ", ".join(
    f"{count} {result}" for result, count in results.most_common()))

# What `qkv` refuses to count would have another number: clipped, OLMo has no gauge at all.
def olmo_rank(clip):
    config = AutoConfig.for_model("olmo", **gqa(1, 12, 3, 3), vocab_size=99, intermediate_size=20, clip_qkv=clip,
                                  attn_implementation="eager")
    model = AutoModel.from_config(config).double()
    layer, x = model.layers[0].self_attn, torch.randn(1, 160, 12).double()
    angles = model.rotary_emb(x, torch.arange(160)[None])
    parameters = {n: torch.randn_like(p) * 0.2 for n, p in layer.named_parameters()}
    def outputs(p):
        return torch.func.functional_call(layer, p, (x, angles, causal(160).double()))[0].flatten()
    jacobian = torch.cat([j.flatten(end_dim=-3).flatten(1) for j in torch.func.jacrev(outputs)(parameters).values()], 1)
    values = torch.linalg.svdvals(jacobian)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(json.loads(config.to_json_string(use_diff=False)), file)
    return int((values > 1e-11 * values[0]).sum()), subprocess.run(
        [qkv, "count", "--config", os.path.join(folder, "config.json"), "--columns", "parameters,real", "--tsv"],
        capture_output=True, text=True)

# Cross-attention from towers of other widths, which PyTorch has.
def torch_attention(d, heads, **more):
    with torch.device("meta"):
        layer = torch.nn.MultiheadAttention(d, heads, **more)
    path = os.path.join(folder, "config.json")
    with open(path, "w") as file:
        json.dump(dict(model_type="transformer", num_hidden_layers=1, hidden_size=d, num_attention_heads=heads,
                       attention_bias=more.pop("bias", True), **more), file)
    (row,), _ = rows("count", "--config", path)
    wanted = sum(p.numel() for p in layer.parameters())
    print("ok" if float(row["parameters"]) == wanted else "wrong", "torch", d, heads, more, row["parameters"], wanted)

torch_attention(24, 4, kdim=10, vdim=12)
torch_attention(24, 2, kdim=30, vdim=7, bias=False)

# What is gauge, measured: the parameters less the rank of d outputs / d parameters.
def compare_rank(what, outputs, parameters, settings, part=None):
    jacobian = [j.flatten(end_dim=-p.ndim - 1).flatten(1) for j, p in
                zip(torch.func.jacrev(outputs)(parameters).values(), parameters.values())]
    values = torch.linalg.svdvals(torch.cat(jacobian, 1))
    wanted = sum(p.numel() for p in parameters.values()) - int((values > 1e-11 * values[0]).sum())
    path = os.path.join(folder, "config.json")
    with open(path, "w") as file:
        json.dump(settings, file)
    (row,), _ = rows("count", "--config", path, *(["--part", part] if part else []))
    print("ok" if float(row["gauge"]) == wanted else "wrong", what, "gauge", row["gauge"], "measured", wanted)

def compare_torch_rank(d, heads, kdim, vdim):
    layer = torch.nn.MultiheadAttention(d, heads, kdim=kdim, vdim=vdim, batch_first=True).double()
    parameters = {n: torch.randn_like(p) for n, p in layer.named_parameters()}
    x, y, z = (torch.randn(8, 12, width).double() for width in (d, kdim, vdim))
    def outputs(p):
        return torch.func.functional_call(layer, p, (x, y, z), dict(average_attn_weights=False))[0].flatten()
    compare_rank(f"torch {heads} {kdim} {vdim}", outputs, parameters, dict(
        model_type="transformer", num_hidden_layers=1, hidden_size=d, num_attention_heads=heads, kdim=kdim, vdim=vdim,
        attention_bias=True))

# Of all layers together, since some have the keys and values of others. The module rounds
# to float in places, which a rank does not bear.
def compare_gemma_rank(**more):
    types = ["sliding_attention", "full_attention"] * 2
    config = AutoConfig.for_model("gemma4_text", **gqa(4, 8, 2, 2, 4, layer_types=types, **{
        **GEMMA4, **more, "global_head_dim": 8, "num_kv_shared_layers": 2, "vocab_size": 99, "rms_norm_eps": 0.1,
        "num_global_key_value_heads": 1, "attn_implementation": "eager"}))
    model = AutoModel.from_config(config).double()
    layers = torch.nn.ModuleList(layer.self_attn for layer in model.layers)
    x = torch.randn(4, 1, 60, 8).double()
    angles = {t: model.rotary_emb(x[0], torch.arange(60)[None], t) for t in types}
    def outputs(p):
        shared, out = {}, []
        for i, layer in enumerate(layers):
            own = {n.partition(".")[2]: w for n, w in p.items() if n.startswith(f"{i}.")}
            more = angles[types[i]], causal(60).double(), shared
            out.append(torch.func.functional_call(layer, own, (x[i], *more))[0].flatten())
        return torch.cat(out)
    compare_rank(f"gemma4 {more}", outputs, {n: torch.randn_like(p) for n, p in layers.named_parameters()},
                 json.loads(config.to_json_string(use_diff=False)))

# Of the only layer of a small model, where a family has what no other has.
def compare_layer_rank(kind, part=None, **settings):
    config = AutoConfig.for_model(kind, attn_implementation="eager", **SMALL_VOCABULARY, **{"rms_norm_eps": 0.1, **settings})
    model, tokens = AutoModel.from_config(config).double(), 120
    model = getattr(model, part) if part else model
    layer = model.block[0].layer[0].SelfAttention if part else model.layers[0].self_attn
    x = torch.randn(1, tokens, 12).double()
    given = {"mask" if part else "attention_mask": None if part == "encoder" else causal(tokens).double()}
    if hasattr(model, "rotary_emb"):
        given["position_embeddings"] = model.rotary_emb(x, torch.arange(tokens)[None])
    def outputs(p):
        return torch.func.functional_call(layer, p, (x,), given)[0].flatten()
    compare_rank(f"{kind} {part}", outputs, {n: torch.randn_like(p) for n, p in layer.named_parameters()}, whole(config), part)

def causal(tokens):
    return torch.full((tokens, tokens), -1e9).triu(1)[None, None]

torch.manual_seed(1)
compare_torch_rank(12, 3, 5, 7)
compare_torch_rank(12, 1, 5, 7)
was, softmax, to = torch.Tensor.float, torch.nn.functional.softmax, torch.Tensor.to
torch.Tensor.float = lambda x: x
torch.Tensor.to = lambda x, *a, **more: x if a[:1] == (torch.float32,) else to(x, *a, **more)
torch.nn.functional.softmax = lambda x, dim, dtype=None: softmax(x, dim)
compare_gemma_rank()
compare_gemma_rank(attention_k_eq_v=False, attention_bias=True)
FULL = dict(layer_types=["full_attention"])
compare_layer_rank("qwen3_next", **gqa(1, 12, 2, 1, 8), **EXPERTS, **DELTA, **FULL)
compare_layer_rank("qwen3_next", **gqa(1, 12, 2, 1, 8), **EXPERTS, **DELTA, **FULL, attention_bias=True)
compare_layer_rank("llama4_text", **gqa(1, 12, 2, 1, 8), num_local_experts=1)
compare_layer_rank("kimi_linear", **{**mla(1, 12, 2), **KIMI, **dict(kv_lora_rank=6, qk_nope_head_dim=4, qk_rope_head_dim=2, v_head_dim=3)}, **FULL)
compare_layer_rank("exaone4", **gqa(1, 12, 2, 1, 8), **FULL)
compare_layer_rank("qwen2", **gqa(1, 12, 4, 4, 4)) # more value biases than outputs
compare_layer_rank("gpt_oss", **gqa(1, 12, 2, 1, 14), num_local_experts=2, rope_parameters=dict(rope_type="default", rope_theta=100.0))
compare_layer_rank("cohere2", **gqa(1, 12, 2, 1, 8), **FULL)
for part in "encoder", "decoder":
    compare_layer_rank("t5", part, num_layers=1, d_model=12, d_kv=4, num_heads=2, relative_attention_num_buckets=8,
                       relative_attention_max_distance=20)
rank, free = olmo_rank(None)
whole, clipped = olmo_rank(0.5)
refused = clipped.returncode == 1 and "its clip_qkv is 0.5" in clipped.stderr and not clipped.stdout
print("ok" if whole == 576 and refused and free.stdout.split()[-2:] == ["576", str(rank)] else "wrong",
      "olmo: rank", rank, free.stdout.split()[-2:], "clipped", whole, clipped.stderr.strip())
torch.Tensor.float, torch.nn.functional.softmax, torch.Tensor.to = was, softmax, to

for name in set(published) - compared - {"transformer-base", "llama-3-70b"}:
    print("wrong", name, "was compared with nothing")

# Tiny random models: `qkv open --slim` leaves the function as it is, and of the parameters
# of attention as many as are gauge become 0 or 1.
TINY = [
    ("bert", bert(2, 32, 4)),
    ("roberta", bert(2, 32, 4)),
    ("gpt2", dict(n_layer=2, n_embd=32, n_head=4)),
    ("gpt_neox", dict(bert(2, 64, 4))),
    ("gpt_neox", dict(bert(2, 64, 4), rope_parameters=dict(rope_type="default", rope_theta=1e4, partial_rotary_factor=1.0))),
    ("llama", gqa(2, 32, 4, 2)),
    ("llama", gqa(2, 32, 4, 4, attention_bias=True)),
    ("mistral", gqa(2, 32, 4, 2, 12, sliding_window=None)),
    ("qwen2", gqa(2, 32, 4, 2)),
    ("qwen3", gqa(2, 32, 4, 2, 16)),
    ("gemma", gqa(2, 32, 4, 1, 16)),
    ("gemma2", gqa(2, 32, 4, 2, 16)),
    ("gemma3_text", gqa(2, 32, 4, 1, 16)),
    ("phi3", gqa(2, 32, 4, 2)),
    ("olmo", gqa(2, 32, 4, 2)),
    ("granite", gqa(2, 32, 4, 2)),
    ("llama", gqa(2, 32, 4, 2, rope_parameters=dict(rope_type="default", rope_theta=5e5))),
    ("qwen3_moe", gqa(2, 32, 4, 2, 16, num_experts=4, num_experts_per_tok=2)),
    ("gpt_oss", gqa(2, 32, 8, 2, 8, num_local_experts=4)),
    ("olmo2", gqa(2, 32, 4, 2)),
]
# And each other family that can be opened.
SIZES = "intermediate_size moe_intermediate_size shared_expert_intermediate_size ffn_dim hidden_dim".split()
MROPE = dict(rope_parameters=dict(rope_type="default", rope_theta=1e4, mrope_section=[2, 1, 1]))
SMALL = {"electra": dict(embedding_size=32), "opt": dict(word_embed_proj_dim=32), "xmod": dict(default_language="en_XX"),
         "qwen2_vl_text": MROPE, "qwen2_5_vl_text": MROPE}
OTHERS = [kind for kind, row in FAMILIES.items() if "#" in row["q"] and kind not in OLD]
TINY += [(kind, {**altered(kind, 2, 32), **SMALL.get(kind, {})}) for kind in OTHERS]
for kind, more in (("deepseek_v2", dict(q_lora_rank=None)), ("deepseek_v3", {}), ("deepseek_v3", dict(rope_interleave=False))):
    TINY.append((kind, dict(altered(kind, 2, 32), n_routed_experts=4, n_group=1, topk_group=1, num_experts_per_tok=2, **more)))
# The variant that has a family's own matrices.
NATIVE = {"bert": "biased", "roberta": "biased", "gpt2": "biased", "gpt_neox": "biased", "llama": "gqa", "mistral": "gqa",
          "gemma": "gqa", "phi3": "gqa", "olmo": "gqa",
          "granite": "gqa"}

def fresh(argument):
    """The same, without the keys that the old model has cached already."""
    return None if "Cache" in type(argument).__name__ else argument

for number, (kind, settings) in enumerate(TINY):
    torch.manual_seed(number)
    more = dict(vocab_size=99, max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2)
    more.update({key: 40 for key in SIZES if hasattr(AutoConfig.for_model(kind), key)})
    config = AutoConfig.for_model(kind, **{**more, **settings})
    model = AutoModel.from_config(config).eval().float()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn_like(p) * 0.3)
    old, new = (os.path.join(folder, f"{kind}{number}{end}") for end in ("", "-slim"))
    model.save_pretrained(old, **({"max_shard_size": "20KB"} if kind == "llama" else {}))
    rows("open", old, "--slim", new)
    slim = AutoModel.from_pretrained(new).eval().float()
    apart = []
    hooks = {}
    for which in (model, slim):
        for name, module in which.named_modules():
            if re.search(r"\.(self_attn|self_attention|attention|attn)$", name):
                hooks.setdefault(name, []).append(module)
    ids = torch.randint(3, 99, (2, 12))
    with torch.no_grad():
        for name, (first, second) in hooks.items():
            def hook(module, arguments, more, out, second=second):
                a, b = out[0], second(*map(fresh, arguments), **{k: fresh(v) for k, v in more.items()})[0]
                apart.append(float((a - b).abs().max() / a.abs().max()))
            first.register_forward_hook(hook, with_kwargs=True)
        model(ids)
    ones = sum(int(((p == 0) | (p == 1)).sum()) for n, p in slim.named_parameters()
               if re.search(ATTENTION, n) and ("a_layernorm" in n or "norm" not in n))
    (row,), _ = rows("count", "--config", os.path.join(old, "config.json"))
    gauge = float(row["gauge"])
    if re.search("head-norm|full-norm", FAMILIES[kind]["has"]): # gains of the norms are left as they are
        head = getattr(config, "head_dim", None) or 8
        biases = 2 * config.num_key_value_heads * head if getattr(config, "attention_bias", False) else 0
        gauge = 2 * config.num_key_value_heads * head ** 2 + biases
    if max(apart) > 1e-5:
        print("wrong", kind, "slim", max(apart))
    if ones != gauge:
        print("wrong", kind, "ones and zeros", ones, "gauge", gauge)
    done = subprocess.run([qkv, "open", old, "--to", "biased" if "attention_bias" in settings else NATIVE.get(kind, "standard" if kind in OLD else "gqa" if "rope" in FAMILIES[kind]["has"] else "biased"), "--layer", "2", "-o", old + "-runs"],
                          capture_output=True, text=True)
    refused = kind in ("qwen2", "qwen3", "qwen3_moe", "gemma2", "gemma3_text", "gpt_oss", "olmo2")
    refused |= "latent" in FAMILIES[kind]["has"]
    refused |= kind == "gpt_neox" and "rope_parameters" not in settings # a part of a key is rotated
    other = kind == "granite" or config.to_dict().get("rope_parameters", {}).get("rope_theta", 1e4) != 1e4
    said = "does not have the matrices or positions of" if refused else "a run cannot compute what this layer does"
    refused |= other
    if kind in OTHERS: # whose run, if it has one, is compared
        refused, said = done.returncode, ""
    if refused != (done.returncode == 1 and said in done.stderr):
        print("wrong", kind, "to", done.stderr)
    elif not refused:
        run, = glob.glob(old + "-runs/*/")
        subprocess.run([qkv, "export", run, old + "-batch", "-q"], check=True)
        load = lambda path: torch.tensor(numpy.load(path))
        x = load(run + "weights/embedding.npy")[load(old + "-batch/tokens.npy").long()]
        module = [first for first, _ in hooks.values()][1]
        more = {}
        if hasattr(model, "rotary_emb"):
            by_type = "layer_type" in inspect.signature(model.rotary_emb.forward).parameters
            own_type = config.layer_types[1:2] if by_type else [] # of the layer that became the run
            more["position_embeddings"] = model.rotary_emb(x, torch.arange(x.shape[1])[None], *own_type)
        if hasattr(module, "output"):
            out = module.output.dense(module.self(x)[0])
        else:
            mask = None if "encodes" in FAMILIES[kind]["has"] else causal(x.shape[1]).expand(len(x), -1, -1, -1)
            out = module(x, attention_mask=mask, **more)[0]
        wanted = (x + out) @ load(run + "weights/unembedding.npy")
        got = load(old + "-batch/logits.npy")
        if (wanted - got).abs().max() > 1e-4 * wanted.abs().max():
            print("wrong", kind, "as a run", float((wanted - got).abs().max()), float(wanted.abs().max()))
    for half in (torch.float16, torch.bfloat16):
        model.to(half).save_pretrained(old + str(half))
        b_q = [p for n, p in model.named_parameters() if n.endswith("0.attention.self.query.bias")]
        row = rows("open", old + str(half))[0][0]
        refused = subprocess.run([qkv, "open", old + str(half), "--slim", new + "2"], capture_output=True, text=True)
        if refused.returncode != 1 or "only F32 can be written" not in refused.stderr:
            print("wrong", kind, half, refused)
        if b_q and abs(float(row["b_Q"]) / float(b_q[0].double().norm()) - 1) > 0.01:
            print("wrong", kind, half, row["b_Q"], float(b_q[0].double().norm()))
    print("ok", kind, "slim", len(apart), "layers,", max(apart), "as a run" if not done.returncode else "")
