# measured.awk - a number that is marked as measured is what its source says.
#
#     awk -f lessons/measured.awk LESSON.md       from the top of the tree
#
# A mark is a comment directly behind the number, which no reader sees:
#     It keeps 98.3%<!--=[full-rank,standard:after]--> of the answers.
# Brackets hold a cell, ROW:COLUMN or SOURCE:ROW:COLUMN; around them is any sum of awk:
#     1.75<!--=[two-step:parameters]/[standard:parameters]--> times as many
# ROW is what neighbouring fields of its line are, with commas between (and .* where more
# come between), and COLUMN a title above it, or the number of a field; TITLE.low and
# TITLE.high are the ends of the interval in that cell. Fields are cut at tabs, at |, or
# else at blanks. A mark has no blanks: write _. Without a SOURCE the line
# is in the nearest console block above that has one, or in the first below. A SOURCE is
# NN for the console blocks of another lesson, claims/NAME for a claim on its page, or
# what the path of a table begins with in lessons/figures or plots: rank, diagrams/rates.
# The number is rounded as it is printed (and with round(x, 10) to tens); a few may be
# words: one to twelve, half, twice, thirty. In the text of a figure there is no place
# for a mark: it stands behind the figure and names the number,
# <!--.43=[rank:standard,1:mean]-->. And a console block that is only there to prove a
# number is hidden between lines <!-- and -->; in it $TOP is the top of the tree.

function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
    failed = 1
}

# Cuts a line into cell[1..n], each as a mark writes it, and `row`, with commas between.
function cut(line,    n, i, ends) {
    row = ""
    gsub(/\\/, "", line)
    n = split(line, cell, line ~ /\t/ ? "\t" : line ~ /^\|/ ? "|" : " ")
    for (i = 1; i <= n; i++) {
        end[i, "low"] = end[i, "high"] = ""
        if (match(cell[i], /\[[^],]*, [^],]*\]/)) {
            split(substr(cell[i], RSTART + 1, RLENGTH - 2), ends, ", ")
            end[i, "low"] = ends[1]
            end[i, "high"] = ends[2]
        }
        gsub(/^[ ([]+|[]:;,.) ]+$| \[.*/, "", cell[i])
        gsub(/ /, "_", cell[i])
        row = row "," cell[i]
    }
    row = row ","
    return n
}

# The lines of a source, line[1..lines], an empty one after each block; block[i] is where
# on this page the block of line i begins.
function load(source,    list, file, i, text, inside, claim) {
    lines = 0
    file = FILENAME
    if (source ~ /^claims\//)
        file = "lessons/claims.md"
    else if (source != "") {
        list = "ls lessons/" source "-*.md lessons/figures/" source "*.tsv lessons/figures/" \
            source "/*.tsv plots/" source "*.tsv 2>/dev/null"
        if ((list | getline file) <= 0 || (list | getline text) > 0)
            wrong = "not one file is " source
        close(list)
    }
    for (i = 1; wrong == "" && (getline text < file) > 0; i++) {
        if (text ~ /^## /)
            claim = "claims/" substr(text, 4, index(text, ":") - 4)
        if (text ~ /^```/) {
            inside = !inside && text ~ /^```console/ ? i : 0
            line[++lines] = ""
        } else if (inside && text !~ /^[$>] / || file ~ /\.tsv$/ || source && claim == source) {
            line[++lines] = text
            block[lines] = source == "" ? inside : 0
        }
    }
    close(file)
}

# The value of a cell; `wrong` says why there is none.
function value(name,    part, k, i, n, column, found, where, twice, side, here) {
    k = split(name, part, ":")
    side = match(part[k], /\.(low|high)$/) ? substr(part[k], RSTART + 1) : ""
    if (side)
        part[k] = substr(part[k], 1, RSTART - 1)
    load(k > 2 ? part[1] : "")
    for (i = 1; i <= lines; i++) {
        n = cut(line[i])
        if (!n)
            column = 0
        if (part[k] ~ /^[0-9]+$/)
            column = part[k]
        here = side ? end[column, side] : cell[column]
        if (row ~ "," part[k - 1] "," && here != "" &&
            (!where || where == block[i] || block[i] < FNR)) {
            if (where != block[i])
                twice = ""
            else if (found != "" && found != here)
                twice = found
            found = here
            where = block[i]
        }
        for (; n; n--)
            if (cell[n] == part[k])
                column = n
    }
    if (twice != "")
        wrong = name " is " twice " and " found
    else if (found !~ /^-?[0-9.]/)
        wrong = wrong ? wrong : name " is " (found == "" ? "not there" : found)
    return found + 0
}

# Compares a number, as it is printed, with an expression.
function check(said, expression,    left, right, sum, number, places, run, is) {
    wrong = ""
    sum = expression
    while (match(sum, /\[[^]]*\]/)) {
        left = substr(sum, 1, RSTART - 1)
        right = substr(sum, RSTART + RLENGTH)
        sum = left "(" value(substr(sum, RSTART + 1, RLENGTH - 2)) ")" right
    }
    number = tolower(said) in word ? word[tolower(said)] : said
    gsub(/[,%]/, "", number)
    places = number
    sub(/e.*/, "", places)
    places = index(places, ".") ? length(places) - index(places, ".") : 0
    run = "awk 'function round(x, unit) { return unit * int(x / unit + 0.5) } BEGIN { printf \"%." \
        places (number ~ /e/ ? "e" : "f") "\", (" sum ")" (said ~ /%/ ? " * 100" : "") " }'"
    if (wrong == "") {
        run | getline is
        close(run)
        if (is == "" || is + 0 != number + 0)
            wrong = expression " is " is
    }
    if (wrong != "")
        complain("says " said ", but " wrong)
}

BEGIN {
    for (i = split("one two three four five six seven eight nine ten eleven twelve", name, " "); i; i--)
        word[name[i]] = i
    word["half"] = 0.5
    word["twice"] = 2
    word["thirty"] = 30
}
/^```/ { code = !code }
/^$/ { before = "" }
!code {
    rest = $0
    while (match(rest, /<!--[^ =>]*=[^ >]*-->/)) {
        mark = substr(rest, RSTART + 4, RLENGTH - 7)
        before = before substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        said = substr(mark, 1, index(mark, "=") - 1)
        if (said != "" ? !match(before " ", "[^0-9.]" said "[^0-9]") \
            : !match(before, /(-?([0-9][0-9,]*)?\.?[0-9]+(e-?[0-9]+)?%?|[A-Za-z]+)$/))
            complain("a mark without its number: " mark)
        else
            check(said != "" ? said : substr(before, RSTART), substr(mark, index(mark, "=") + 1))
    }
    before = before rest " "
}
END { exit failed }
