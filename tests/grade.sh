#!/bin/sh
# grade.sh BUILD - a folder of submissions is graded, whatever they do. No other test runs
# somebody else's code that means harm.

build=$1
. tests/lib.sh
course=$work/course
grade() { make -s -C "$top" --no-print-directory grade BUILD="$as_typed" DIR="$course" >grades.tsv 2>said </dev/null; }
# refused WORDS: grade is, with those words.
refused() { ! grade && grep -qF "$1" said && ok || complain "grade: does not say \"$1\": $(cat said)"; }
# hands_in WHO FILE: what is on stdin.
hands_in() { mkdir -p "$course/$1" && cat >"$course/$1/$2"; }
exercises=$top/lessons/exercises
adam=$exercises/solutions/19-adam.sh
once=$exercises/solutions/03-once.c

refused 'no such folder'
hands_in right 19-adam.sh <"$adam"
if ! bwrap --unshare-all --ro-bind / / true 2>/dev/null; then
    refused 'bubblewrap must be installed'
    companion bwrap "the rest of grade" && skip "the rest of grade: bwrap may not be used here"
    finish; exit
fi
# --- twelve submissions, and what each gets for 03-once, 14-numbers and 19-adam, and in all
hands_in right 03-once.c <"$once"
sed 's/^a:.*/a: 100/; s/^b:.*/b: 5050/; s/^c:.*/c: 49,152,000/; s/^d:.*/d: 100/' \
    "$exercises/14-numbers.txt" | hands_in right 14-numbers.txt
echo 19-adam | hands_in 'has done it' done
hands_in 'has done it' 19-adam.sh <"$exercises/19-adam.sh"
sed 's/^a:.*/a: 5050/' "$exercises/14-numbers.txt" | hands_in 'has done it' 14-numbers.txt
begins='__attribute__((constructor)) static void begin(void)'
{ cat "$once" && echo "$begins { for (;;) ; }"; } | hands_in loops 03-once.c
{ cat "$once" && echo '#include <stdlib.h>' &&
    echo "$begins { for (;;) *(volatile char *)malloc(1 << 20) = 1; }"; } | hands_in eats 03-once.c
echo "#include \"$once\"" | hands_in includes 03-once.c
echo "cat '$adam'; find / -name '*.answers' -exec cat {} + 2>&1; sh '$adam'
git -C '$top' show HEAD:lessons/exercises/solutions/19-adam.sh | sh" | hands_in prints 19-adam.sh
echo "sh '$course/right/19-adam.sh'; sh ../../right/19-adam.sh" | hands_in copies 19-adam.sh
{ echo "rm -rf '$course'/* '$work/theirs' 2>/dev/null" && cat "$adam"; } | hands_in deletes 19-adam.sh
{ echo 'setsid sleep 4321.5 >/dev/null 2>&1 &' && cat "$adam"; } | hands_in stays 19-adam.sh
{ echo 'ls -A /run | grep . && exit' && cat "$adam"; } | hands_in services 19-adam.sh
mkdir "$course/links" && ln -s "$adam" "$course/links/19-adam.sh"
touch theirs && find "$course" theirs | sort >before
EXERCISE_SECONDS=8 grade && ok || complain "grade: $(cat said)"
awk -F '\t' -v OFS='|' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $1, $at["03-once"], $at["14-numbers"], $at["19-adam"], $NF }' grades.tsv >points
diff - points >differ <<'END' && ok || complain "points: $(cat differ said)"
copies|||0|0
deletes|||1|1
eats|0|||0
has done it||0|0|0
includes|0|||0
links||||0
loops|0|||0
prints|||0|0
right|1|1|1|3
services|||1|1
stays|||1|1
END
find "$course" theirs | sort | cmp -s - before && ok || complain "files are gone, or more"
expect 'a process is left' none_running 'sleep 4321.5'
# What is said of mistakes is there, and of answers nothing.
reasons='^(loops: 03-once: .*did not finish within 8|has done it: 14-numbers a: that is without a cache)'
[ "$(grep -cE "$reasons" said)" -eq 2 ] && ok || complain "a reason is missing: $(cat said)"
cat grades.tsv said | grep -e 'mean = m / (1' -e 5050 -e 49152000 && complain "an answer is shown" || ok
echo | hands_in "$(printf 'a\tb')" 19-adam.sh
refused 'control characters'
finish
