#!/bin/sh
# whole.sh BUILD - the real parameters of whole models: what `qkv count --whole` measures is
# its formula, and falls where theory says; and PyTorch finds the same (in_jacobian.py; with
# $PYTHON, else python3).

build=$1
. tests/lib.sh
python=${PYTHON:-python3}

# counted OPTION ...: "stored real formula", a line for each variant
counted() {
    "$qkv" count --whole --d-model 6 --heads 2 --symbols 9 --length 5 --tsv \
        --columns parameters,real,formula "$@" 2>err | tail -n +2 | tr '\t' ' '
}
# is WANTED OPTION ...
is() {
    wanted=$1
    shift
    found=$(counted "$@")
    expect "$*: $found, not $wanted" [ "$found" = "$wanted" ]
}

free=standard,fused,two-step,two-step-tanh,shared-qk,gqa,mqa,mla,kv-shift,talking-heads,symmetric-data
free=$free,value-residual,v-from-k,sink,gated,differential,shared-kv,qk-norm
for norm in none pre rms; do
    for around in "--positions learned" "--positions rope --mlp 1" "--positions alibi --layers 2"; do
        counted -v $free --norm $norm --symbols 24 --d-model 8 $around >found
        expect "$norm $around: formula and rank differ" awk '$2 != $3 { exit 1 } END { exit NR != 18 }' found
    done
done

# A head wider than a token holds a full matrix. One token: logits are a matrix (9 x 8) of
# rank 6; after LayerNorm of rank 5, and a row. Two symbols: a number for each prefix.
is "474 288 288" -v standard --mlp 1 --d-k 8
is "330 66 66" -v standard --mlp 1 --length 1
is "366 63 63" -v standard --mlp 1 --length 1 --norm pre
is "252 6 6" -v standard --mlp 1 --symbols 2 --length 2
is "270 6 6" -v standard --mlp 1 --symbols 2 --length 2 --norm rms
# Too few logits to read the stream: each of 6 hidden units writes 3 numbers in vain. Heads
# that cut the stream tie its basis: of GL(6), GL(3) x GL(3) is left.
is "294 192 210" -v standard --mlp 1 --symbols 4
expect "no reason is given" grep -q 'off by +18: it assumes more --symbols' err
is "318 270 252" -v no-wq --mlp 1
refuses 2 "--whole and --real do not go together" "$qkv" count --whole --real
# A published model, by the formula: Llama 3.1 8B.
llama='"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256'
echo "{$llama, \"tie_word_embeddings\": false}" >llama.json
echo "{$llama}" >silent.json
echo '{"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}' >bert.json
expect "a published model" [ "$("$qkv" count --whole --config llama.json --tsv | tail -n 1 | tr '\t' ' ')" = \
    "llama.json 8030261248 8016918528 4227072 266240 458752 8386560 4096" ]
refuses 1 "tie_word_embeddings: --whole needs it to be true or false; set it" "$qkv" count --whole --config silent.json
sed 's/128256/4096/; s/}/, "tie_word_embeddings": true}/' silent.json >few.json
refuses 1 "vocab_size: it is 4096, at most the width of a token, 4096" "$qkv" count --whole --config few.json
refuses 1 "the parts of a whole bert are not known" "$qkv" count --whole --config bert.json
refuses 2 "length" "$qkv" count --whole --config llama.json --length 5
echo "{\"model_type\": \"llava\", \"text_config\": {$llama, \"tie_word_embeddings\": false}}" >composite.json
"$qkv" count --whole --config composite.json 2>err
expect "a composite model" grep -q "text_config to a separate file" err
refuses 2 "at most 6000 parameters, and this model has 274879086592" "$qkv" count --whole --d-model 32768 --layers 64 # no memory holds it
refuses 2 "--norm: it has no effect without --whole" "$qkv" count --norm rms

"$python" -c 'import torch' 2>/dev/null || skip "PyTorch's rank of whole models: no torch (pip install torch)"
[ -s "$skipped" ] || for norm in none pre rms; do
    for shape in "6 2 3 3 1 1 9 5 learned" "6 3 1 2 1 0 8 4 none" "4 2 2 2 2 1 9 4 learned" \
        "5 1 2 5 1 2 7 6 none" "4 1 3 4 3 0 6 5 learned" "4 2 5 2 1 1 8 3 learned"; do
        set -- $shape
        is "$("$python" "$top/tests/in_jacobian.py" $norm $shape)" -v standard --norm $norm --d-model $1 --heads $2 \
            --d-k $3 --d-v $4 --layers $5 --mlp $6 --symbols $7 --length $8 --positions $9
    done
done
# ReLU has a scale of each hidden unit; without its eps, a norm hides that of the stream; if
# the unembedding is the embedding, a basis and its inverse must be one.
[ -s "$skipped" ] || while read -r wanted how; do
    found=$("$python" "$top/tests/in_jacobian.py" ${how%% *} 6 2 3 3 1 1 9 5 learned ${how#* } | cut -d ' ' -f 2)
    expect "$how: $found, not $wanted" [ "$found" = "$wanted" ]
done <<'X'
285 rms relu 1e-5 no
290 rms gelu 0 no
263 pre gelu 0 no
243 none gelu 1e-5 tied
264 rms gelu 1e-5 tied
X
finish
