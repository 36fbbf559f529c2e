# excerpts.awk - the code that a lesson shows is in the file that it names.
#
#     awk [-v fill=NEW.md] -f lessons/excerpts.awk LESSON.md       from the top of the tree
#
# A block that begins with ```c FILE NAME ... is these functions, types and macros of
# FILE, each with the comment above it: it is written by `check.sh -u`, into NEW.md,
# and never by hand. Of a block ```c FILE each line is in FILE, in one place; a line
# /* ... */ in it skips ahead. A block has 50 lines at most, and there is prose between
# it and the block before. A block ```c main.c is the lesson's own program (stage.sh), whose
# main has 20 lines at most. Prints a line FILE:FIRST-LAST for each stretch that it finds, and what
# is wrong on stderr.

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

# Where block lines a..b are in the file from line `from` on: the first place,
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
function check(    a, b, at, from) {
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
            complain("is in " places " places of " file ": " block[a])
        print file ":" at "-" at + b - a
        from = at + b - a + 1
    }
}

# The line of the file that defines a name, or declares it: a function, a type, a
# macro, a variable; 0 for none.
function defined(name,    form, k, i) {
    form[1] = "^" name "\\("
    form[2] = "^(typedef |static |const )*(struct|union|enum) " name "( |$)"
    form[3] = "^#define " name "[( ]"
    form[4] = "^[A-Za-z].*[ *]" name "(\\(|(\\[.*\\])? = |;)|^[a-z].*\\(\\*" name "\\)|^typedef .* " name " "
    form[5] = "^enum \\{.*[ {]" name "[ ,}]"
    for (k = 1; k <= 5; k++)
        for (i = 1; i <= lines[file]; i++)
            if (text[file, i] ~ form[k])
                return i
    return 0
}

# The item of that name, from the comment above it to its end, goes to `source`.
function add_item(name,    at, from, to) {
    at = from = to = defined(name)
    if (!at) {
        complain("no " name " in " file)
        return
    }
    while (from > 1 && text[file, from - 2] !~ /\\$/ && text[file, from - 1] !~ /^$|^}|^#|^[^ \/].*[;}]$|^\/\* clang-format/)
        from--
    if (text[file, at] ~ /^#/)
        while (text[file, to] ~ /\\$/)
            to++
    else {
        while (to < lines[file] && text[file, to] !~ /[;{]( *\/\*.*\*\/)?$/)
            to++
        if (text[file, to] ~ / = \{$/)
            while (to < lines[file] && text[file, to] !~ /};$/)
                to++
        else if (text[file, to] ~ /\{$/)
            while (to < lines[file] && text[file, to] !~ /^}/)
                to++
    }
    if (sources)
        source[++sources] = ""
    for (at = from; at <= to; at++)
        source[++sources] = text[file, at]
    print file ":" from "-" to
}

# A block of names against what they are.
function check_names(    i, same) {
    same = n == sources
    for (i = 1; i <= n && same; i++)
        same = block[i] == source[i]
    if (!same && !fill)
        complain("is not what " file " has under that name now: make lessons-update")
}

function end_block(    i) {
    load(file)
    sources = 0
    if (file == "main.c") {
        for (i = 1; i < n && block[i] !~ /^main\(/; i++)
            ;
        if (n - i >= 20)
            complain("a main of " n - i + 1 " lines: 20 at most")
    } else if (!lines[file])
        complain(file ": no such file")
    else if (count > 2) {
        for (i = 3; i <= count; i++)
            add_item(word[i])
        check_names()
    } else
        check()
    if ((count > 2 ? sources : n) > 50)
        complain((count > 2 ? sources : n) " lines of " file " at once: show 50 at most")
    for (i = 1; fill && i <= (count > 2 ? sources : n); i++)
        print (count > 2 ? source[i] : block[i]) > fill
}

/^```/ && inside {
    inside = 0
    end_block()
}
inside { block[++n] = $0; next }
fill { print > fill }
/^```c / && !other {
    inside = 1
    count = split($0, word, " ")
    file = word[2]
    n = 0
    start = FNR
    if (!prose)
        complain("no word between this block of " file " and the one before")
    prose = 0
    next
}
/^```/ && count { count = 0; next } # the end of that block
/^```/ { other = !other; next }
/[a-z]/ && !other { prose = 1 }

END {
    if (inside)
        complain("a block without its end")
    exit failed
}
