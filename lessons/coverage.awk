# coverage.awk - how many lines of each file's code some lesson shows.
#
#     awk -v shown=STRETCHES [-v missing=1] -f coverage.awk FILE ...
#
# STRETCHES has lines FILE:FIRST-LAST, as excerpts.awk prints them. Comments, blank
# lines, includes and their guards, and lone braces do not count; of a variant its
# equation counts, which is its forward. Prints file, lines shown, lines there
# are; with missing=1 the lines instead that no lesson shows.

BEGIN {
    while ((getline line < shown) > 0) {
        split(line, part, ":")
        split(part[2], range, "-")
        for (i = range[1] + 0; i <= range[2] + 0; i++)
            seen[part[1], i] = 1
    }
}

function finish() {
    if (file && !missing)
        printf "%s\t%d\t%d\n", file, found, all
    all = found = comment = 0
}

FNR == 1 { finish(); file = FILENAME; counts = file !~ /^variants\// }
file ~ /^variants\// && /^forward\(/ { counts = 1; next }
{ line = $0; gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line) }
line ~ /\/\*/ { comment = 1 }
counts && !comment && line !~ /^[ \t{}]*;?[ \t\\]*$/ && line !~ /^#(include|endif|ifndef [A-Z_]+_H$|pragma GCC visibility|define [A-Z_]+_H$)/ {
    all++
    if ((FILENAME, FNR) in seen)
        found++
    else if (missing)
        print FILENAME ":" FNR ": " $0
}
line ~ /\*\// { comment = 0 }
file ~ /^variants\// && /^}/ { counts = 0 }
END { finish() }
