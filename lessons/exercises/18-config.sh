#!/bin/sh
# 18-config.sh - exercise: a model of your own.
#
# Here is the config.json of a model like the first Llama. Let all its heads
# share one key and one value, and see how gauge and cache change. `make exercise
# N=18-config` runs it with sh in an empty directory; try it in one yourself.

cat >config.json <<'END'
{
  "model_type": "llama",
  "hidden_size": 4096,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": 32
}
END
qkv count --config config.json --columns parameters,gauge,cache_bytes --tsv
