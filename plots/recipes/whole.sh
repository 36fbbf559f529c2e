# How many parameters of a whole model are really there?
# The rank of the Jacobian of 35 small decoders beside the formula, whose parts are the other
# columns (lesson 34). The last eight models are at its limits: six break what it supposes, and
# `off` is how far it is wrong then.
[ ! "$plan" ] || exit 0 # nothing is trained
refuse_options "$@"
mkdir -p "$out" 2>/dev/null || die 1 "$out: could not create it; choose another --out"
count_all() {
    for norm in none pre rms; do
        count_one --norm $norm
        count_one --norm $norm --mlp 1
        count_one --norm $norm --mlp 2 --layers 2
        count_one --norm $norm --mlp 1 --positions rope
        count_one --norm $norm --mlp 1 --positions alibi --layers 2
        count_one --norm $norm --mlp 1 -v gqa --heads 4 --kv-heads 2
        count_one --norm $norm --mlp 1 -v mla --latent 5
        count_one --norm $norm --mlp 1 --d-k 12 # wider than a token
        count_one --norm $norm --mlp 1 --d-model 16 --heads 4 --layers 2
    done
    count_one --norm rms --mlp 1 --length 1              # one token: no score matters
    count_one --norm pre --mlp 1 --symbols 2 --length 2  # six contexts, a number for each
    count_one --norm none --mlp 1 --symbols 6 --length 4 # six logits do not show eight directions
    count_one --norm rms --mlp 1 --symbols 4 --length 4  # seven directions hold all tokens
    count_one --norm none -v biased                      # a constant moves past attention
    count_one --norm none -v no-wq                       # heads cut the stream into columns
    count_one --norm rms -v no-wv-wo
    count_one --norm none -v full-rank --positions rope # RoPE turns the stream itself
}
count_one() {
    qkv count --whole -v standard --d-model 8 --heads 2 --symbols 24 --length 6 "$@" --tsv 2>/dev/null |
        awk -v given="$*" -F '\t' -v OFS='\t' 'NR == 1 { print "model", "off", $0 } NR > 1 { print given, $4 - $3, $0 }'
}
count_all | awk 'NR == 1 || !/^model\t/' >"$out/whole.tsv"
cat "$out/whole.tsv"
