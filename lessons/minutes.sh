#!/bin/sh
# minutes.sh - how long the lessons take, estimated and rounded to five minutes: of each lesson
# that has a level a line with its page, its level, the minutes for reading it and typing its
# commands, at 100 words a minute, output and captions counted (what is folded away for NumPy
# is not), and the minutes for its exercises: 10 for numbers or an equation, 25 for code. book.sh and
# teach.md show them.

cd "$(dirname "$0")/.." || exit 1
for lesson in lessons/[0-9]*.md; do
    page=$(basename "$lesson" .md)
    numbers=$(grep -c "^${page%%-*}-\(numbers\|form\)" lessons/exercises/list)
    all=$(grep -c "^${page%%-*}-" lessons/exercises/list)
    sed '/^<details><summary>In NumPy/,/^<\/details>/d' "$lesson" | tr '\n' ' ' |
        awk -v page="$page" -v exercises=$((25 * all - 15 * numbers)) '
        function rounded(minutes) { return 5 * int(minutes / 5 + 0.5) }
        match($0, /Level: [^.]*\./) {
            level = substr($0, RSTART + 7, RLENGTH - 8)
            gsub(/<!--[^>]*-->/, "")
            gsub(/!\[[^]]*\]/, "")
            printf "%s\t%s\t%d\t%d\n", page, level, rounded(NF / 100), rounded(exercises)
        }'
done
