#!/bin/sh
# numpy.sh BUILD - each of lessons 01 to 14 has one fold-out "In NumPy", of 15 lines at most and
# without a class, and run again it prints what the page shows. Nothing else runs Python
# that readers are shown. Skipped, and says so, without NumPy ($PYTHON, else python3).

build=$1
. tests/lib.sh
python=${PYTHON:-python3}
if ! "$python" -c 'import numpy' 2>/dev/null; then
    skip "the lessons' NumPy: $python has none (pip install numpy)"
    finish
    exit
fi
PATH=$build:$PATH

# folded PAGE KIND: the fold-out's blocks of a kind: its code (python), what it prints (text).
folded() {
    awk -v kind="$2" '
        /^<details><summary>In NumPy<\/summary>$/ { inside = 1 }
        /^<\/details>$/ { inside = 0 }
        /^```/ { wanted = inside && $0 == "```" kind; next }
        wanted' "$1"
}
# try PAGE: what is wrong with its fold-out, or nothing. Code that opens a file finds what
# the page's commands have written.
try() {
    rm -rf desk
    mkdir desk
    folded "$1" python >desk/code.py
    folded "$1" text >shows
    lines=$(wc -l <desk/code.py)
    [ "$lines" -gt 0 ] || echo "it has no fold-out In NumPy"
    [ "$lines" -le 15 ] || echo "its NumPy has $lines lines: 15 at most"
    grep -q ' @ ' desk/code.py && ! grep -q '^class ' desk/code.py || echo "its NumPy has no A @ B, or a class"
    ! grep -q 'open(\|glob' desk/code.py || sed -n 's/^\$ //p' "$1" >desk/commands
    (cd desk && { [ ! -f commands ] || sh ./commands >printed 2>&1; } &&
        PYTHONWARNINGS=error "$python" code.py) >prints 2>err || echo "its NumPy fails: $(tail -n 1 err)"
    diff shows prints >differs || echo "its NumPy shows (<) what it does not print (>): $(cat differs)"
}
for page in "$top"/lessons/0[1-9]-*.md "$top"/lessons/1[0-4]-*.md; do
    try "$page" >said
    [ ! -s said ] && ok || complain "$(basename "$page"): $(cat said)"
done

# The eye sees what it is there to see: a digit that is not printed, a page without one.
sed '/In NumPy/,/^<\/details>/s/0\.98/0.97/' "$top"/lessons/01-*.md >spoilt.md
try spoilt.md >said
expect "a digit that is not printed is not seen" grep -q 'shows (<) what it does not print' said
try "$top"/lessons/00-start-here.md >said
expect "a page without a fold-out is not seen" grep -q 'no fold-out' said
finish
