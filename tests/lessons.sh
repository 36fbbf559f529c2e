#!/bin/sh
# lessons.sh BUILD - the lessons' checker finds what it is there to find, and the
# lessons have none of it.

set -u
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
ok() { passed=$((passed + 1)); }
complain() {
    failed=$((failed + 1))
    echo "lessons: $*" >&2
}

# finds WORDS: a lesson of what stands on stdin is refused, with those words.
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

finds 'not in variants/standard.c' <<'END'
```c variants/standard.c
    Node *q = split(matmul(y, w[W_Q]), a->heads);
```
END
finds 'places of variants/mla.c' <<'END'
```c variants/standard.c
    factor_values(f, 1, matrix_of(w, W_V), matrix_of(w, W_O));
/* ... */
}
```
```c variants/mla.c
}
```
END
finds 'from line' <<'END'
```c variants/standard.c
    Node *v = split(matmul(y, w[W_V]), a->heads);
/* ... */
    Node *q = split(matmul(x, w[W_Q]), a->heads);
```
END
finds 'no such file' <<'END'
```c variants/gone.c
int x;
```
END
finds 'prints 3' <<'END'
```console
$ echo 1; echo 3
1
2
```
END
finds '(nothing more)' <<'END'
```console
$ echo 1
1
2
```
END
finds 'is no function' <<'END'
It calls `attend_to()`.
END
finds 'is not there' <<'END'
See [there](99-nowhere.md).
END
finds 'no word between' <<'END'
Two at once.
```c variants/mqa.c
enum { W_Q, W_K, W_V, W_O };
```

```c variants/mqa.c
const Variant qkv_variant = {
```
END
{
    echo 'A whole file.'
    echo '```c variants/collaborative.c'
    cat variants/collaborative.c
    echo '```'
} | finds 'show 50 at most'
finds 'no attend_to in' <<'END'
```c core/tape/attend.c attend_to
```
END
finds 'under that name now' <<'END'
```c variants/mqa.c forward
static Node *
```
END
printf '%s\n' 'By name.' '```c variants/mqa.c W_Q forward' '```' >"$work/00-named.md"
sh lessons/check.sh -u -q "$build" "$work/00-named.md" >"$work/out" 2>&1 &&
    sh lessons/check.sh "$build" "$work/00-named.md" >"$work/out" 2>&1 &&
    grep -q '^enum { W_Q' "$work/00-named.md" && grep -q '^forward(' "$work/00-named.md" && ok ||
    complain "what a block names is not written: $(cat "$work/out" "$work/00-named.md")"
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
sh lessons/check.sh "$build" "$work/00-good.md" >"$work/out" 2>&1 && ok ||
    complain "a good lesson is refused: $(cat "$work/out")"
sh lessons/check.sh "$build" && ok || complain "a lesson does not hold"

# A file that must be shown whole, and is not.
mkdir -p "$work/few/lessons" "$work/few/tests"
cp -r core variants "$work/few"
cp -r tests/plain "$work/few/tests"
cp -r lessons/one-file "$work/few/lessons"
cp lessons/*.md lessons/*.awk lessons/*.sh "$work/few/lessons"
cp -r lessons/figures "$work/few/lessons"
for lesson in 12-sharing 33-variants; do
    sed 's/^```c variants\/mqa.c.*/```text/' lessons/$lesson.md >"$work/few/lessons/$lesson.md"
done
(cd "$work/few" && sh lessons/check.sh -q "$work") >"$work/out" 2>&1 &&
    complain "a lesson that shows less is not found"
grep -q 'variants/mqa.c: 0 of 3 lines' "$work/out" && ok || complain "coverage: $(cat "$work/out")"

# --- every lesson but the appendix has two exercises, one of them code, and says so
for lesson in lessons/[0-2]*.md lessons/3[0-2]*.md; do
    n=$(basename "$lesson" | cut -c1-2)
    code=$(ls lessons/exercises/solutions | grep -c "^$n-")
    [ "$(grep -c "^$n-" lessons/exercises/list)" -ge 2 ] && [ "$code" -ge 1 ] &&
        tr '\n' ' ' <"$lesson" | grep -q "make exercise N=$n" && ok ||
        complain "$lesson: not two exercises, one of them code"
done

# --- exercises: every solution is right, every known mistake is named
EXERCISES=$work/mine
export EXERCISES
exercise() { sh lessons/exercise.sh "$build" "$@" >"$work/out" 2>&1; }
says() { grep -qF -- "$1" "$work/out" && ok || complain "$2: does not say \"$1\": $(cat "$work/out")"; }
exercise && says '03-once' 'the list'
exercise 3-once && complain "a stub that was just laid out is right"
says 'is in' '3 for 03'
rm -f "$EXERCISES/03-once.c"
exercise 99 && complain "an exercise that is not there"
says 'there is no exercise 99' 'none'
for solution in lessons/exercises/solutions/*; do
    kind=${solution##*.}
    name=$(basename "$solution" .$kind)
    exercise "$name" && complain "$name is done before it is begun"
    says "is in $EXERCISES/$name.$kind now" "$name"
    exercise "$name" && complain "$name: an unchanged stub passes"
    says 'nothing is changed yet' "$name, unchanged"
    while IFS='	' read -r hint edit; do
        sed "$edit" "$solution" >"$EXERCISES/$name.$kind"
        cmp -s "$solution" "$EXERCISES/$name.$kind" && complain "$name: $edit edits nothing"
        exercise "$name" </dev/null && complain "$name: $edit passes"
        says "$hint" "$name: $edit"
    done <"lessons/exercises/$name.wrong"
    if [ $kind = c ]; then
        echo 'int x' >"$EXERCISES/$name.c"
        exercise "$name" && complain "$name: what does not compile passes"
        says 'does not compile' "$name"
    else
        : >"$EXERCISES/$name.sh"
        exercise "$name" && complain "$name: an empty script passes"
        says 'not yet' "$name"
    fi
    cp "$solution" "$EXERCISES/$name.$kind"
    exercise "$name" || complain "$solution is refused: $(cat "$work/out")"
    says "$name: right" "$name"
    exercise "$name" && says 'done before' "$name again"
done
for answers in lessons/exercises/*.answers; do
    name=$(basename "$answers" .answers)
    exercise "$name" && complain "$name is done before it is begun"
    exercise "$name" && complain "$name: no numbers pass"
    says 'no number yet' "$name"
    while IFS='	' read -r key value hint; do
        [ "$hint" != ok ] || continue
        sed "s/^$key:.*/$key: $value/" "lessons/exercises/$name.txt" >"$EXERCISES/$name.txt"
        exercise "$name" && complain "$name $key: $value passes"
        says "$key: $hint" "$name $key: $value"
    done <"$answers"
    cp "lessons/exercises/$name.txt" "$EXERCISES/$name.txt"
    while IFS='	' read -r key value hint; do
        [ "$hint" = ok ] || continue
        sed "s/^$key:.*/$key: $value/" "$EXERCISES/$name.txt" >"$work/x"
        mv "$work/x" "$EXERCISES/$name.txt"
    done <"$answers"
    exercise "$name" && ok || complain "$name: the right numbers are refused"
done
says 'All exercises are done' 'the last one'

echo "lessons: $passed passed, $failed failed"
[ $failed -eq 0 ]
