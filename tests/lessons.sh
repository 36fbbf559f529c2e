#!/bin/sh
# lessons.sh BUILD - the lessons' checker finds what it is there to find, and the
# lessons have none of it: no other test reads them. exercises.sh does the exercises.

build=$1
. tests/lib.sh
cd "$top" || exit 1

# finds WORDS: a lesson of what is on stdin is refused, with those words.
finds() {
    cat >"$work/00-bad.md"
    if sh lessons/check.sh "$build" "$work/00-bad.md" >"$work/out" 2>&1; then
        complain "a fault is not found: $1"
    elif ! grep -qF -- "$1" "$work/out"; then
        complain "does not say \"$1\": $(cat "$work/out")"
    else
        ok
    fi
}
# Words that are found, and the faulty lesson, whose lines end with \n; after + the end
# of one that prints a table of which numbers are said.
printf 'to\tshare\ntwo\t0.5678\n' >"$work/table"
while IFS='|' read -r words lesson; do
    case $lesson in
    +*) printf '```console\n$ cat %s\n%s\n```\n\nIt is %s.\n' "$work/table" "$(cat "$work/table")" "${lesson#+}" ;;
    *) printf "$lesson\n" ;;
    esac >"$work/faulty"
    finds "$words" <"$work/faulty"
done <<'END'
not in variants/standard.c|```c variants/standard.c\n    Node *q = split(matmul(y, w[W_Q]), a->heads);\n```
places of variants/mla.c|```c variants/mla.c\n}\n```
no such file|```c variants/gone.c\nint x;\n```
no attend_to in|```c core/heart/attention_operands.c attend_to\n```
under that name now|```c variants/mqa.c forward\nstatic Node *\n```
prints 3|```console\n$ echo 1; echo 3\n1\n2\n```
(nothing more)|```console\n$ echo 1\n1\n2\n```
is no function|It calls `attend_to()`.
is not there|See [there](99-nowhere.md).
is outside of the book|See [there](https://localhost/).
dark/none.svg is not there|<source srcset="figures/dark/none.svg">
says .58, but [two:share] is 0.57|+.58<!--=[two:share]-->
says Three, but|+Three<!--=4*[two:share]-->
three:share is not there|+.57<!--=[three:share]-->
says .41, but [rank:standard,2:mean] is 0.59|+.41<!--=[rank:standard,2:mean]-->
says 7, but|![7 lines](figures/diagrams/tape.svg)<!--7=8-->
END
{
    echo 'A whole file.'
    echo '```c variants/collaborative.c'
    cat variants/collaborative.c
    echo '```'
} | finds 'show 50 at most'
# What an update writes: the functions that a block names, and what commands print;
# a number that it makes stale is named.
printf '%s\n' 'By name.' '```c variants/mqa.c W_Q forward' '```' '```console' '$ echo share 0.7' 'share 0.6' '```' \
    '' 'It is .6<!--=[share:2]-->.' >"$work/00-stale.md"
sh lessons/check.sh -u "$build" "$work/00-stale.md" >"$work/out" 2>&1
grep -q 'says .6, but \[share:2\] is 0.7' "$work/out" && grep -q '^share 0.7' "$work/00-stale.md" &&
    grep -q '^enum { W_Q' "$work/00-stale.md" && grep -q '^forward(' "$work/00-stale.md" && ok ||
    complain "what an update writes, or makes stale: $(cat "$work/out" "$work/00-stale.md")"
cat >"$work/00-good.md" <<'END'
`attend()`, [a list](../README.md).
```c variants/standard.c
    Node *q = split(matmul(x, w[W_Q]), a->heads);
/* ... */
    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);
```
```console
$ printf '1\n2\n3\n'
1
...
3
```
END
cat >>"$work/00-good.md" <<'END'
There are three<!--=[3:1]--> lines, half<!--=0.516--> of them, or 1,234.5<!--=[1:1]*1234.46-->.

<!--
```console
$ echo 2 9; echo 0.1234e-7
2 9
0.1234e-7
```
-->
It is 9<!--=[2,9:2]-->, 1.2e-8<!--=[0.1234e-7:1]-->, 12%<!--=1e7*[0.1234e-7:1]--> or some
130<!--=round(127,10)-->; .408<!--=[rank:standard,1:mean]--> there, -.0362<!--=[claims/additions:talking-heads.8.8,test_loss,undecided:difference.low]-->
and .388<!--=[claims/additions:differential:test_accuracy]--> here.
![From .41 to 1.0, in 2 steps](figures/diagrams/tape.svg)<!--.41=[rank:standard,1:mean]--><!--1.0=1--><!--2=2-->
END
sh lessons/check.sh "$build" "$work/00-good.md" >"$work/out" 2>&1 && ok ||
    complain "a good lesson is refused: $(cat "$work/out")"
sh lessons/check.sh "$build" && ok || complain "a lesson does not hold"

# Functions of the heart that are shown nowhere, or twice, and a variant whose equation
# is not shown.
mkdir -p "$work/few/lessons"
cp -r core variants README.md "$work/few"
cp -r lessons/one-file lessons/depth "$work/few/lessons"
cp lessons/*.md lessons/*.awk lessons/*.sh "$work/few/lessons"
cp -r lessons/figures "$work/few/lessons"
for lesson in 12-sharing 31-variants; do
    sed 's/^```c variants\/mqa.c.*/```text/' lessons/$lesson.md >"$work/few/lessons/$lesson.md"
done
sed 's/^```c core\/heart\/numbers.h logarithm$/```text/; s/^\(```c core\/heart\/matrix.c\) multiply_add.*/&\
```\
Again.\
\1 multiply/' lessons/20-product.md >"$work/few/lessons/20-product.md"
(cd "$work/few" && sh lessons/check.sh -q "$work") >"$work/out" 2>&1 &&
    complain "a lesson that shows less is not found"
while read -r words; do
    grep -qxF "$words" "$work/out" && ok || complain "does not say \"$words\": $(cat "$work/out")"
done <<'END'
variants/mqa.c: forward is shown in no lesson
core/heart/numbers.h: logarithm is shown in no lesson
core/heart/matrix.c: multiply is shown 2 times, and must be once
END

# A program of a lesson may only use what has been shown.
printf '%s\n' '```c main.c' '#include "heart/tape.h"' 'int' 'main(void)' '{' '    tape_free(0);' '}' '```' \
    >"$work/few/lessons/21-tape.md"
cp "$build/flags" "$work"
sh "$work/few/lessons/stage.sh" "$work" 21 >"$work/out" 2>&1 && complain "a program that uses more than is shown is built"
grep -q 'tape_free' "$work/out" && ok || complain "stage: $(cat "$work/out")"

# A hypothesis that was changed after the run.
mkdir "$work/few/plots"
cp -r plots/claims plots/recipes plots/diagrams "$work/few/plots"
sed -i 's/more than 0.98 right/more than 0.9 right/' "$work/few/plots/claims/kv-shift.sh"
(cd "$work/few" && sh lessons/check.sh -q "$work" lessons/claims.md) >"$work/out" 2>&1 &&
    complain "a hypothesis that is not the claim's is not found"
grep -q 'not what .*kv-shift.sh says: One layer of kv-shift gets more than 0.9 right' "$work/out" && ok ||
    complain "claims: $(cat "$work/out")"

# --- every lesson but the appendix has an exercise, up to 19 two, one of them code, and
# says so; and the heart and the other operators are told in ten lessons of 12,600 words
for lesson in lessons/[0-2]*.md; do
    n=$(basename "$lesson" | cut -c1-2)
    most=2
    [ "$n" -lt 20 ] || most=1
    code=$(ls lessons/exercises/solutions | grep -c "^$n-.*[.]\(c\|sh\)$")
    [ "$(grep -c "^$n-" lessons/exercises/list)" -ge $most ] && [ "$code" -ge $((most - 1)) ] &&
        tr '\n' ' ' <"$lesson" | grep -q "make exercise N=$n" && ok ||
        complain "$lesson: not $most exercises"
done
expect "not ten lessons on the heart" test "$(ls lessons/2*.md | wc -l)" -eq 10
# What a reader of lessons sees: captions and output, but not what a picture has for those
# who cannot see it, nor what is hidden or folded in NumPy. With code=1 also code.
words() {
    awk -v seen="$1" '/^<!--$|^<details><summary>In NumPy/ { hidden = 1 }
    /^```/ { code = !code; if (!seen) next }
    (seen || !code) && !hidden { gsub(/<!--[^>]*-->|!\[[^]]*\]/, ""); words += NF }
    /^-->$|^<\/details>/ { hidden = 0 }
    END { print words }' $2
}
said=$(words "" "$(ls lessons/2*.md)")
[ "$said" -le 12600 ] && ok || complain "lessons 20 to 29 have $said words"
said=$(words 1 "$(ls lessons/0*.md lessons/1[0-6]*.md)")
[ "$said" -le 17250 ] && ok || complain "lessons 00 to 16 have $said words"

# --- a sentence on which variant trains better has a comparison at chosen rates behind it
verdicts() { awk -f lessons/verdicts.awk "${1:-lessons/verdicts.tsv}" README.md lessons/0*.md lessons/1[0-6]*.md; }
verdicts >"$work/out" 2>&1 && ok || complain "$(cat "$work/out")"
cp lessons/verdicts.tsv "$work/few/lessons"
echo 'Here `mqa` is faster than `standard`.' >>"$work/few/lessons/13-mla.md"
sed -i 's/recipe cache/recipe spectrum/' "$work/few/lessons/verdicts.tsv"
sed -i 's/with each at its own best rate the lead/with each at its own the lead/' "$work/few/lessons/04-not-algebra.md"
(cd "$work/few" && verdicts) >"$work/out" 2>&1 && complain "a verdict that nothing holds is not found"
while read -r words; do
    grep -qF "$words" "$work/out" && ok || complain "verdicts: does not say \"$words\": $(cat "$work/out")"
done <<'END'
13-mla.md: no row of verdicts.tsv says what holds: Here `mqa` is faster
12-sharing.md: recipe spectrum has no chosen rates
04-not-algebra.md: no sentence has the words of its row: with each at its own best rate
END

# --- a term is explained where it is first used
told() { awk -f lessons/glossary.awk lessons/32-notation.md lessons/0*.md lessons/1[0-8]*.md; }
told >"$work/out" && ok || complain "$(cat "$work/out")"
sed -i 's/^# 02.*/&\n\nA block is used too early./' "$work/few"/lessons/02-*.md
(cd "$work/few" && told) >"$work/out"
expect 'a term that is used too early is not found' grep -q '02.*uses "block", which lesson 10' "$work/out"

finish
