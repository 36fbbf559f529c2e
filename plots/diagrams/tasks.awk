# tasks.awk - six of the tasks: what is read, what is wanted, and where one answer is.

# A task reads `in_` and wants `out`, words of a line; the answer at `at` comes from `from`.
function task(x, y, name, in_, out, from, at, said,    i, n, a, b, w) {
    n = split(in_, a, " ")
    split(out, b, " ")
    w = 31
    words(x, y, name, "start bold")
    for (i = 1; i <= n; i++) {
        block(x + 14 + (i - 1) * w, y + 32, w, 26, i == from ? "lit" : "no")
        note(x + 14 + (i - 1) * w, y + 32, a[i])
        if (b[i] != "-") {
            block(x + 14 + (i - 1) * w, y + 88, w, 26, i == at ? "lit" : "off")
            note(x + 14 + (i - 1) * w, y + 88, b[i])
        }
    }
    arrow(x + 14 + (from - 1) * w, y + 46, x + 14 + (at - 1) * w, y + 73)
    note(x, y + 114, said, "start")
}
# What each task wants, of words 1 to n of what it reads.
function backwards(s,    a, i, out) {
    for (i = split(s, a, " "); i >= 1; i--)
        out = out a[i] " "
    return out
}
function after_it(s,    a, i, n, out) {
    n = split(s, a, " ")
    for (i = 1; i <= n; i++)
        out = out a[i % n + 1] " "
    return out
}
function in_order(s,    a, i, n, digit, out) {
    n = split(s, a, " ")
    for (digit = 0; digit <= 9; digit++)
        for (i = 1; i <= n; i++)
            if (a[i] == digit)
                out = out digit " "
    return out
}
# The next word of s, from word `first` on.
function next_word(s, first,    a, i, n, out) {
    n = split(s, a, " ")
    for (i = 1; i < n; i++)
        out = out (i < first ? "-" : a[i + 1]) " "
    return out
}
function less_last(s) { sub(/ [^ ]*$/, "", s); return s }
function values(s,    a, i, n, value, out) {
    n = split(s, a, " ")
    for (i = 1; i <= n; i++)
        if (length(a[i]) > 1) {
            value[substr(a[i], 1, 1)] = substr(a[i], 2)
            out = out "- "
        } else
            out = out value[a[i]] " "
    return out
}
BEGIN {
    canvas(640, 446)
    s = "3 1 4 1 5 9"
    task(16, 18, "reverse", s, backwards(s), 6, 1, "the digits backwards")
    task(346, 18, "shift", s, after_it(s), 2, 1, "the token after it")
    s = "7 2 5 | 7 2 5"
    task(16, 168, "copy", less_last(s), next_word(s, 4), 2, 5, "what came before, once more")
    s = "b a d c b a d"
    task(346, 168, "induction", less_last(s), next_word(s, 5), 3, 6, "a pattern repeats: what is next?")
    s = "a7 c2 d5 b9 c d a b"
    task(16, 318, "recall", s, values(s), 2, 5, "stored pairs, then keys: which value?")
    s = "4 1 8 3 6"
    task(346, 318, "sort", s, in_order(s), 2, 1, "the digits in rising order")
}
