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

echo "lessons: $passed passed, $failed failed"
[ $failed -eq 0 ]
