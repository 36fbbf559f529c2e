#!/bin/sh
# fuzz.sh BUILD [SECONDS] - libFuzzer on five readers, under the address and
# undefined-behaviour sanitizers and a canary that any executed command, any plugin
# and any file outside the output trips: only here are files tried that nobody thought
# of. SECONDS (5) each; what it finds is kept in BUILD/fuzz.
build=$1
. tests/lib.sh
if ! command -v clang >/dev/null ||
    ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    clang -fsanitize=fuzzer -xc - -o fuzzer 2>/dev/null; then
    echo "fuzz: skipped: no clang with libFuzzer (make deps-all)"
    exit 0
fi
to=$build/fuzz
flags='-g -O1 -fno-sanitize-recover=undefined -DQKV_DOUBLE' # as open works in double
mkdir -p "$to"
ln -sfn "$build/plots" "$build/models" "$to" # beside a program
make -s -C "$top" "$to/libqkv.a" BUILD="$to" CC=clang OPT= \
    CFLAGS="$flags -fsanitize=fuzzer-no-link,address,undefined" >err 2>&1 || complain "no library"

# What it begins with: one of each, whole and with what is often tried; and words
# that are often trouble.
mkdir mine npy options experiment checkpoint equation foreign foreign/figures
"$qkv" compare -v standard,full-rank -t reverse --seeds 1 --validate 2 --test 4 --batch 2 --d-model 8 \
    --heads 2 --length 4 --symbols 3 --steps 2 --log-every 1 -q --no-figures -o made >made.tsv 2>err ||
    complain "no experiment"
cp "$build/variants/standard.so" . # which only its path would open
mv made/reverse.full-rank.* foreign && mv made/reverse.standard.* foreign/run
cp foreign/run/weights/embedding.npy npy/whole # and with a header of 2,000 bytes
{ printf '\223NUMPY\001\000\320\007' && head -c 127 npy/whole | tail -c +11 &&
    printf '%1882s\n' '' && tail -c 96 npy/whole; } >npy/long
for command in 0 1 2 3 4 5 6 7 8 9; do
    printf "$command"'--variant\0standard,gqa+groups=2\0--task=reverse\0--lr\00.1,1\0--seeds\03\0-o\0out' >options/$command
done
for letter in a b c d e f g h i j k l; do
    for variant in standard ./standard.so; do
        {
            printf %s $letter
            sed "s|^variant	.*|variant	$variant|" foreign/run/config.tsv
            for file in foreign/run/result.tsv foreign/run/log.tsv made/experiment.tsv; do
                printf '\f' && cat $file
            done
        } >"experiment/$letter${#variant}"
    done
done
at=0 head=
for name in self.query self.key self.value output.dense; do
    head="$head, \"encoder.layer.0.attention.$name.weight\": {\"dtype\": \"F32\", \"shape\": [8, 8], \"data_offsets\": [$at, $((at + 256))]}"
    head="$head, \"encoder.layer.0.attention.$name.bias\": {\"dtype\": \"F32\", \"shape\": [8], \"data_offsets\": [$((at + 256)), $((at + 288))]}"
    at=$((at + 288))
done
for letter in 0 1 @ A P Q '`' a p q; do
    {
        printf '%s{"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}\f{%s}\f' \
            "$letter" "${head#, }"
        for i in 1 2 3 4 5; do tail -c 240 foreign/run/weights/embedding.npy; done
    } >"checkpoint/$letter"
    # A family that can have fewer heads of keys.
    LC_ALL=C sed 's/"bert"/"olmo"/; s/encoder.layer.0.attention.self.\([a-z]\)[a-z]*/layers.0.self_attn.\1_proj/g
        s/encoder.layer.0.attention.output.dense/layers.0.self_attn.o_proj/g' "checkpoint/$letter" >"checkpoint/$letter-olmo"
done
cp "$top"/tests/equations/*.eq equation
printf '"%s"\n' "';system('touch x');'" '`touch x`' '<touch x' '../../x' ./standard.so --out=mine -o \
    1e309 nan 2147483648 '\x1b[2J' '\xff' '\x09' '\x0a' '\x0c' "(900000, 9)" "<f8" data_offsets dtype F16 BF16 F64 num_key_value_heads head_dim layer_types \
    "softmax(" "rms(" "split(" "mix_heads(" "[0 : d_k]" W_i^Q W_g^K "sqrt(" d_model " ~ N(0, 1)" "settings: " \
    gpt2 gpt_neox llama sliding_window partial_rotary_factor deepseek_v3 kv_lora_rank >words

wrapped='mkdir mkdtemp unlink rmdir rename renameat2 run_program execv dlopen
    fopen exit _exit fork waitpid'
export QKV_FUZZ="$work" QKV_PATH="$build/variants" ASAN_OPTIONS=detect_leaks=0
for target in ${TARGETS:-npy options experiment checkpoint equation}; do
    clang -std=c11 -Werror -D_GNU_SOURCE -DQKV_CORE -DTARGET=$target -I"$top/core" $flags \
        -fsanitize=fuzzer,address,undefined "$top/tests/fuzz/fuzz.c" -rdynamic -Wl,--whole-archive \
        "$to/libqkv.a" -Wl,--no-whole-archive $(printf -- '-Wl,--wrap=%s ' $wrapped) -lm -ldl \
        -o "$to/$target" 2>err || complain "$target is not built"
    end=$(($(date +%s) + ${2:-5})) status=0 seed=0 units=0
    # In turns of at most 4,000 inputs, since nothing is freed.
    while left=$((end - $(date +%s))) && [ "$left" -gt 0 ] && [ $status -eq 0 ]; do
        seed=$((seed + 1))
        [ -d foreign/run ] || mv foreign/run.* foreign/run # as the last turn named it
        "$to/$target" -max_total_time=$left -runs=4000 -seed=$seed \
            -close_fd_mask=3 -max_len=6000 -dict=words -timeout=20 -rss_limit_mb=3000 -verbosity=0 -print_final_stats=1 \
            -artifact_prefix="$to/$target-" "$work/$target" >said 2>"$to/$target.log"
        status=$?
        units=$((units + $(sed -n 's/.*executed_units: *//p' "$to/$target.log")))
    done
    grep -E 'ERROR|SUMMARY|runtime error|    #[0-9] ' "$to/$target.log" |
        head -n 12 >err
    [ ! -e canary ] || status="$status, the canary: $(cat canary)"
    expect "$target: status $status; see $to/$target.log" test "$status" = 0
    echo "fuzz: $target: $units inputs"
done
finish
