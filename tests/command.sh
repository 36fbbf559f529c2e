#!/bin/sh
# command.sh BUILD [GROUP] - the command as a user meets it: what it does, and what it
# says of everything that is wrong. Each row of command.tsv has the status that a command
# must have, words, and the command. One that fails says those words in one line, and
# prints nothing; one that works prints them. `= WORDS` is all that it prints, where lines
# and columns are joined by a space; for `-` nothing is looked for. A group of rows
# ("# --- ...") has a folder of its own, in which `has` makes what it needs, so that it
# can be run alone, by its number.

build=$1
. tests/lib.sh
group=${2:-}
export PATH="$build:$PATH"
tab=$(printf '\t')
small="--steps 20 --test 32 --validate 32 --d-model 16 -q"
text="-t text --file times --d-model 16 --heads 2 --validate 16 --test 16 --length 16"
digits="3 3 0 4 6 7 9 7 8 1 0 2 2 6 7 2"
runs='compare -t reverse -v standard,fused,linear --length 6 --seeds 3 --steps 60 --test 64 --judge test_accuracy --no-figures --no-weights'
more="$(echo "$runs" | sed 's/seeds 3/seeds 8/') --margin test_accuracy=0.0001"

# has NAME ...: texts, experiments, and runs, each with the directory's own name.
has() {
    for name; do
        [ -e "$name" ] || made "$name"
    done >made 2>&1
}
made() {
    case $1 in
    lines) yes 'a line of text' | head -c 3000 >lines ;;
    times) yes 'it was the best of times, it was the worst of times' | head -c 4000 >times ;;
    umlauts) printf 'ein Häuschen, grün wie Gräser\n%.0s' $(seq 60) >umlauts ;;
    grid) qkv compare -v standard,full-rank -t recall --seeds 2 --d-k 2,8 $small -o grid ;;
    drawn) qkv compare -v standard,fused -t reverse --seeds 2 $small -o drawn ;;
    rated) qkv compare -v standard,fused -t reverse --seeds 2 --lr 0.00001,0.01 $small --no-figures -o rated ;;
    diverged) qkv compare -v standard -t reverse --optimizer sgd --lr 0.1,100000 --seeds 1 $small -o diverged ;;
    small.sh)
        printf '%s\n' '# Is it small?' 'qkv compare -t reverse -v standard,fused --seeds 2 --steps 20 --test 32 \
            --d-model 16 --lr 0.003,0.01 -o "$out" "$@"' \
            "qkv plot \"\$out\" --x lr --y test_accuracy --gnuplot \"xlabel = 'the rate'\"" >small.sh
        ;;
    tiny) qkv recipe rank --seeds 2 --d-k 1,2 --steps 4 --test 8 --validate 8 -q --format svg -o tiny ;;
    sound-biased) run sound-biased -v biased --lr 0.03 $small ;;
    bare) run bare -t reverse --no-weights $small ;;
    sound) run sound $small ;;
    mla-rope | kv-shift | shared-qk | two-step-tanh) run $1 -v $1 $small ;;
    value-residual) run $1 -v $1 --layers 2 $small ;;
    rotated) run rotated -t induction --positions rope $small ;;
    hot) run hot -t induction --embed onehot --steps 20 ;;
    cross) run cross -t cross-recall --queries 3 $small ;;
    translated) run translated -t translate $small ;;
    text) run text $text --steps 400 ;;
    rope) run rope $text --steps 400 --positions rope ;;
    onehot) run onehot $text --steps 400 --embed onehot --norm none --layers 1 ;;
    umlaut) run umlaut ${text%times*}umlauts ${text#*times} --steps 400 ;;
    unmasked) run unmasked $text --steps 20 --mask none ;;
    window) run window $text --steps 400 -v window --window 8 ;;
    two-step) run two-step $text --steps 400 -v two-step ;;
    mla) run mla $text --steps 400 -v mla --positions none ;;
    turned) run turned $text --steps 20 -v mla --positions rope ;;
    full) run full $text --steps 20 -v full-rank ;;
    narrow) run narrow $text --steps 20 --d-k 4 ;;
    subset) run subset -t subset --steps 20 ;;
    *) run "$1" -t "$1" ;;
    esac || complain "$1: it cannot be made"
}
run() { # NAME ARGUMENTS ...
    name=$1
    shift
    qkv train -q -o made-runs "$@" && mv made-runs/*.seed1.* "$name" && rm -rf made-runs
}
generate() { timeout 60 qkv generate "$@"; }
answers() { qkv trace "$2" "$1" | sed '1,/=== answers/d' | tr -s ' '; } # RUN TEXT

# variant NAME SED-SCRIPT FLAG ...: a plugin, the standard variant changed so.
variant() {
    sed "$2" "$top/variants/standard.c" >"$1.c"
    name=$1
    shift 2
    plugin "$name" "$@"
}
# breaks SED-SCRIPT: the run of such a plugin fails, and the others are finished.
breaks() {
    variant broken "$1"
    ! qkv compare -v standard,./broken.so -t reverse --seeds 1 $small --no-figures -o broken 2>&1 |
        tee said | grep -q '^reverse.broken' && grep '^reverse.standard' said && grep '^qkv' said &&
        [ -z "$(ls -A broken | grep '^\.')" ]
}
# declares SETTINGS: a plugin with such settings of its own.
declares() {
    variant wrong 's|sqrt(a->d_k)|& * setting(a, "gain")|; s|    .weights = weights|    .settings = "'"$1"'",\n&|'
}
own_settings() {
    variant gain 's|sqrt(a->d_k)|& * setting(a, "gain") + setting(a, "shift")|
        s|equation = "|&note: |; s|    .weights = weights|    .settings = "shift=0 gain=1",\n&|'
    variant gain2 's|sqrt(a->d_k)|& * setting(a, "gain")|; s|    .weights = weights|    .settings = "gain=2",\n&|'
}
# spoilt FILE SED-SCRIPT [RUN]: a copy of the run, `bad`, with that file changed.
spoilt() { rm -rf bad && cp -rL "${3:-sound}" bad && LC_ALL=C sed -i "$2" "bad/$1"; }
# damaged FILE HOW [RUN]: halved, empty, zeros, gone, or a link.
damaged() {
    rm -rf bad && cp -rL "${3:-text}" bad && cp "bad/$1" was || return
    case $2 in
    half) head -c $(($(wc -c <was) / 2)) was >"bad/$1" ;;
    empty) : >"bad/$1" ;;
    zeros) head -c "$(wc -c <was)" /dev/zero >"bad/$1" ;;
    gone) rm "bad/$1" ;;
    esac
}
# published OPTION ...: variant, parameters, and cache of `count`.
published() { qkv count --tsv "$@" 2>err | awk -F'\t' 'NR == 2 { print $1, $2, $5 }'; }
# configured TYPE [heads=H] [groups=G] [MORE]: c.json, a config of one layer of width 16.
configured() {
    sizes='"num_hidden_layers": 1, "hidden_size": 16' others=
    type=$1
    shift
    for given; do case $given in
        heads=*) sizes="$sizes, \"num_attention_heads\": ${given#*=}" ;;
        groups=*) sizes="$sizes, \"num_key_value_heads\": ${given#*=}" ;;
        *) others=$given ;;
    esac done
    echo "{\"model_type\": \"$type\", $sizes$others}" >c.json
}
# safetensors FILE HEAD [BYTES]: a file with that head and the numbers of standard input.
safetensors() {
    rest=${3:-$(printf %s "$2" | wc -c)}
    {
        for byte in 0 1 2 3 4 5 6 7; do
            printf "\\$(printf %03o $((rest & 255)))"
            rest=$((rest >> 8))
        done
        printf %s "$2"
        cat
    } >"$1"
}
# pairs COMMAND WORD ...: the options that its pairs drop (pairs.sh); figures are only named.
pairs() {
    [ ! "${NO_PAIRS:-}" ] || return 0 # .ci/run: not under the sanitizers, too
    stand_in gnuplot 'touch "${4%.gp}.$(echo "$3" | sed "s/term=//" | tr -dc a-z)"'
    PATH="$PWD/bin:$PATH" sh "$top/tests/pairs.sh" "$@"
}
# long COMMAND WORD ...: only in `make check-long`, which sets $LONG.
long() { [ ! "${LONG:-}" ] || "$@"; }
# checkpoint DIR [SED-SCRIPT [BYTES]]: a BERT of one layer, with the weights of a run, and
# its head changed so.
checkpoint() {
    has sound-biased
    rm -rf "$1" && mkdir -p "$1" && configured bert heads=4 && mv c.json "$1/config.json"
    at=0 head=
    for name in self.query.Q self.key.K self.value.V output.dense.O; do
        for part in weight:W:1024:16,16 bias:b:64:16; do
            IFS=: read -r word letter size shape <<end
$part
end
            head="$head, \"encoder.layer.0.attention.${name%.?}.$word\": {\"dtype\": \"F32\", \"shape\": [$shape], \"data_offsets\": [$at, $((at + size))]}"
            tail -c "$size" "sound-biased/weights/block0.attention.${letter}_${name##*.}.npy"
            at=$((at + size))
        done
    done >numbers
    safetensors "$1/model.safetensors" "$(echo "{${head#, }}" | sed "${2:-}")" ${3:-} <numbers
}
# llama DIR GAIN [SED-SCRIPT]: a LLaMA of one layer, whose norm has this gain, 1 or 2. The maps
# behind it are the smaller for it, so that the function is the same.
llama() {
    has sound-biased
    rm -rf "$1" && mkdir -p "$1" && configured llama heads=4 && mv c.json "$1/config.json"
    head='"model.layers.0.input_layernorm.weight": {"dtype": "F32", "shape": [16], "data_offsets": [4096, 4160]}'
    at=0
    for name in q k v o; do
        head="$head, \"model.layers.0.self_attn.${name}_proj.weight\": {\"dtype\": \"F32\", \"shape\": [16, 16], \"data_offsets\": [$at, $((at + 1024))]}"
        at=$((at + 1024))
        file=sound-biased/weights/block0.attention.W_$(echo $name | tr qkvo QKVO).npy
        # a half has an exponent that is 1 less: 128 less in the upper two bytes
        if [ "$2$name" != 2o ] && [ "$2" = 2 ]; then
            printf "$(tail -c 1024 "$file" | od -An -v -tu2 | awk '{
                for (i = 1; i <= NF; i++) {
                    if (++n % 2 == 0 && $i % 32768 >= 256)
                        $i -= 128
                    printf "\\%03o\\%03o", $i % 256, int($i / 256)
                }
            }')"
        else
            tail -c 1024 "$file"
        fi
    done >numbers
    [ "$2" = 1 ] && gain='\0\0\200\77' || gain='\0\0\0\100'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do printf "$gain"; done >>numbers
    safetensors "$1/model.safetensors" "$(echo "{$head}" | sed "${3:-}")" <numbers
}
same_text() { # RUN ARGUMENTS OTHERS: do both say the same?
    generate $1 -p "it was" -n 200 $2 >one && generate $1 -p "it was" -n 200 $3 >two && cmp one two && echo same
}
# claim NAME LINE ...: what comes out of such a claim; the lines are of its head, or commands.
claim() {
    mkdir -p planted claims
    name=$1
    shift
    {
        printf '# %s\n' 'Is it so?' 'claim: it' '  is' 'source: somebody' 'published: large' 'ours: small' 'hypothesis: so'
        for part; do case $part in expect* | untestable*) echo "# $part" ;; esac done
        for part; do case $part in
            compare*) echo "qkv $part -o \"\$out\" \"\$@\"" ;;
            count*) echo "qkv $part" ;;
        esac done
    } >"planted/$name.sh"
    qkv claim "./planted/$name.sh" -o "claims/$name" -q
}
claim_yes() {
    claim yes "$runs" 'expect 1: variant=fused verdict is same' 'expect 1: variant=linear test_accuracy < 1.1' \
        'count -v standard,shared-kv --d-model 8 --real' 'expect 2: variant=shared-kv gauge < 50'
}
wrong() { # SED-SCRIPT: the claim `yes`, changed so
    sed "$1" planted/yes.sh >planted/wrong.sh && qkv claim ./planted/wrong.sh -o claims/wrong -q
}
# What 8,192 tokens take is the cache that count predicts, and 8 MB at most.
peak() { /usr/bin/time -f %M qkv generate one-head -p i -n "$1" 2>&1 >/dev/null | tail -n 1; }
memory() {
    has times && run one-head $text --steps 2 --heads 1 --layers 1 --d-model 32 --positions rope >made
    few=$(peak 16) many=$(peak 8192)
    published -v standard --d-model 32 --heads 1 --layers 1 |
        awk -v more=$((many - few)) '{ print more <= $3 * 4 * 8192 / 1024 + 16384 ? "as predicted" : more }'
}
# killed: a comparison that is killed again and again, and told to go on.
killed() {
    for pause in 0.01 0.03 0.06; do
        qkv compare -v standard,fused -t reverse --seeds 4 $small -o killed --no-figures >killed.out 2>&1 &
        sleep $pause
        kill -9 $!
        wait $!
        soon none_running '-o killed --no-figures' # its runs die with it, a moment later
    done 2>/dev/null
    mkdir -p killed/.reverse.x@qkv-abcdef/reverse.x
    : >killed/experiment.tsv # killed between making and writing it
}
terminated() {
    qkv compare -v standard -t sort --seeds 8 -j 1 -q -o stopped --no-figures 2>&1 &
    sleep 0.3
    kill -TERM $!
    wait $!
    echo "status $?"
}
# exact ROWS: the verdicts of equiv that are not those of five variants.
verdicts() {
    awk -F'\t' '
    function wide(name) { return name == "full-rank" || name == "other" }
    NR > 1 {
        wanted = "exact"
        if (wide($1) && !wide($2)) wanted = "nearest"
        if ($1 == "two-step-tanh" || $2 == "two-step-tanh") wanted = "none"
        if ($3 != wanted || (wanted == "exact" && $4 > 1e-10)) print
    }
    END { print NR }'
}
# level KEY FORMAT: a baseline of the text of two parts.
level() { sed -n "s/^$1	//p" parts/*seed1*/result.tsv | head -n 1 | awk -v f="$2" '{ printf f, $1 }'; }
# old_pandoc SCRIPT: a pandoc that is not the system's.
stand_in() { # NAME SCRIPT
    mkdir -p "$PWD/bin" && printf '#!/bin/sh\n%s\n' "$2" >"bin/$1" && chmod +x "bin/$1"
}

# row: judges one, whose command may set variables for those after it, which find what
# it printed in `last` and `last.err`.
row() {
    [ ! -e out ] || { mv out last && mv err last.err; }
    eval "$command" >out 2>err </dev/null
    got=$?
    if [ "$got" -ne "$status" ]; then
        complain "command.tsv:$line: status $got, not $status: $command"
    elif [ "$status" -ne 0 ]; then
        if ! grep -qF -- "$words" err; then
            complain "command.tsv:$line: does not say \"$words\": $command"
        elif [ "$(wc -l <err)" -ne 1 ] || LC_ALL=C grep -q '[[:cntrl:]]' err || [ -s out ]; then
            complain "command.tsv:$line: not one line of text, or prints something: $command"
        else
            ok
        fi
    elif [ "$words" != - ] && case $words in
        =*) [ "$(tr '\n\t' '  ' <out | sed 's/ $//')" != "$(printf "%s\n" "${words#=}" | sed "s/^ //")" ] ;;
        *) ! grep -qF -- "$words" out ;;
        esac; then
        complain "command.tsv:$line: prints no \"$words\", but \"$(head -n 5 out)\": $command"
    else
        ok
    fi
}
line=0 n=0
while IFS=$tab read -r status words command; do
    line=$((line + 1))
    case $status in
    '# ---'*)
        n=$((n + 1))
        mkdir "$work/$n" && cd "$work/$n" || exit 1
        ;;
    '#'* | '') ;;
    *) [ -n "$group" ] && [ "$group" -ne $n ] || row ;;
    esac
done <"$top/tests/command.tsv"
finish
