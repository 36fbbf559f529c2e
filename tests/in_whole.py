"""in_whole.py QKV DIRECTORY - the whole of small decoders of transformers: their parameters,
and the rank of their Jacobian, beside the formula of `qkv count --whole --config`."""

import pathlib
import subprocess
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM

qkv, directory = sys.argv[1], pathlib.Path(sys.argv[2])
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
torch.float32 = torch.float64  # norms and softmax round to it, which no rotation survives


def rank_of(model):
    """The rank of the distributions' derivatives by all parameters, at random ones."""
    names = [name for name, _ in model.named_parameters()]
    sizes = [p.numel() for p in model.parameters()]
    shapes = [p.shape for p in model.parameters()]
    flat = torch.cat([torch.randn(n) * s[-1] ** -0.5 + (len(s) == 1) for n, s in zip(sizes, shapes)])
    ids = torch.randint(model.config.vocab_size, (3 * len(flat) // (5 * model.config.vocab_size) + 10, 5))

    def distributions(values):
        parts = {n: v.view(s) for n, v, s in zip(names, values.split(sizes), shapes)}
        logits = torch.func.functional_call(model, parts, (ids,), {"use_cache": False}).logits
        return logits.log_softmax(-1).flatten()

    jacobian = torch.func.jacrev(distributions, chunk_size=128)(flat)
    s = torch.linalg.svdvals(jacobian)
    return len(flat), int((s > 1e-9 * s[0]).sum())


for kind in "llama", "mistral", "qwen2", "qwen3":
    for tied in False, True:
        for heads, groups, layers in (2, 1, 1), (3, 3, 2):
            torch.manual_seed(3)
            c = AutoConfig.for_model(kind, hidden_size=6, intermediate_size=5, num_hidden_layers=layers,
                                     num_attention_heads=heads, num_key_value_heads=groups, head_dim=2,
                                     vocab_size=9, tie_word_embeddings=tied, rms_norm_eps=0.01)
            c._attn_implementation = "eager"
            c.save_pretrained(directory)
            measured = rank_of(AutoModelForCausalLM.from_config(c).double().eval())
            said = subprocess.run([qkv, "count", "--whole", "--config", directory / "config.json", "--columns",
                                   "parameters,formula", "--tsv"], capture_output=True, text=True)
            found = tuple(map(int, said.stdout.split()[2:])) if said.returncode == 0 else said.stderr
            print("ok" if found == measured else "wrong", "the whole of a", kind, "tied" if tied else "untied",
                  heads, groups, layers, "measured", *measured, "said", found)
