#!/bin/sh
# lessons.sh BUILD - the lessons' checker finds what it is there to find, and the
# lessons have none of it.

set -u
build=$1
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
        factor_scores(f, i, 1 / sqrt(a->d_k), columns_of(w, W_Q, i, a->d_k),
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

# --- exercises: every solution is right, every known mistake is named
EXERCISES=$work/mine
export EXERCISES
exercise() { sh lessons/exercise.sh "$build" "$@" >"$work/out" 2>&1; }
says() { grep -qF -- "$1" "$work/out" && ok || complain "$2: does not say \"$1\": $(cat "$work/out")"; }
exercise && says '03-once' 'the list'
exercise 99 && complain "an exercise that is not there"
says 'there is no exercise 99' 'none'
for solution in lessons/exercises/solutions/*.c; do
    name=$(basename "$solution" .c)
    exercise "$name" && complain "$name is done before it is begun"
    says "is in $EXERCISES/$name.c now" "$name"
    exercise "$name" && complain "$name: an unchanged stub passes"
    says 'nothing is changed yet' "$name, unchanged"
    while IFS='	' read -r hint edit; do
        sed "$edit" "$solution" >"$EXERCISES/$name.c"
        cmp -s "$solution" "$EXERCISES/$name.c" && complain "$name: $edit edits nothing"
        exercise "$name" </dev/null && complain "$name: $edit passes"
        says "$hint" "$name: $edit"
    done <"lessons/exercises/$name.wrong"
    echo 'int x' >"$EXERCISES/$name.c"
    exercise "$name" && complain "$name: what does not compile passes"
    says 'does not compile' "$name"
    cp "$solution" "$EXERCISES/$name.c"
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
