# excerpts.awk - the code that a lesson shows stands in the file that it names.
#
#     awk -f excerpts.awk LESSON.md        from the top of the tree
#
# A block that begins with ```c FILE must stand in FILE, line by line, in one
# place; a line /* ... */ in it skips ahead. It has 28 lines at most, and prose
# stands between it and the block before. Prints a line FILE:FIRST-LAST for each
# stretch that it finds, and what is wrong on stderr.

function complain(what) {
    printf "%s:%d: %s\n", FILENAME, start, what > "/dev/stderr"
    failed = 1
}

function load(file,    line) {
    if (file in lines)
        return
    lines[file] = 0
    while ((getline line < file) > 0)
        text[file, ++lines[file]] = line
    close(file)
}

# Where block lines a..b stand in the file from line `from` on: the first place,
# 0 for none; `places` counts them.
function find(file, a, b, from,    i, k, first) {
    first = places = 0
    for (i = from; i + b - a <= lines[file]; i++) {
        for (k = a; k <= b && block[k] == text[file, i + k - a]; k++)
            ;
        if (k > b && ++places == 1)
            first = i
    }
    return first
}

# The stretches of a block between its lines /* ... */.
function check(file,    a, b, at, from) {
    load(file)
    if (!lines[file]) {
        complain(file ": no such file")
        return
    }
    from = 1
    for (a = 1; a <= n; a = b + 2) {
        for (b = a; b < n && block[b + 1] !~ /^ *\/\* \.\.\. \*\/$/; b++)
            ;
        at = find(file, a, b, from)
        if (!at) {
            complain("not in " file " from line " from " on: " block[a])
            return
        }
        if (a == 1 && places > 1)
            complain("stands in " places " places of " file ": " block[a])
        print file ":" at "-" at + b - a
        from = at + b - a + 1
    }
}

/^```c / && !inside {
    inside = 1
    file = $2
    n = 0
    start = FNR
    if (!prose)
        complain("no word between this block of " file " and the one before")
    prose = 0
    next
}
/^```/ && inside {
    inside = 0
    if (n > 28)
        complain(n " lines of " file " at once: show 28 at most")
    check(file)
    next
}
/^```/ { other = !other; next }
inside { block[++n] = $0; next }
/[a-z]/ && !other { prose = 1 }

END {
    if (inside)
        complain("a block without its end")
    exit failed
}
