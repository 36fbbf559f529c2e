#!/bin/sh
# wheel.sh BUILD - the Python wheel installs into an empty environment, and what README
# shows first works there where no compiler is. Nothing else looks at wheels.

build=$1
. tests/lib.sh
python3 -c 'import ensurepip' 2>/dev/null || { skip "the wheel: no python3 with venv here"; finish; exit; }
# All is compiled anew, for other processors, only in `make check-long`, which sets $LONG.
if [ "${LONG:-}" ]; then
    wheel=$(make -s -C "$top" wheel BUILD="$as_typed" | tail -n 1)
else
    make -s -C "$top" install BUILD="$as_typed" DESTDIR="$work/root" PREFIX=
    wheel=$(cd "$top" && sh core/driver/wheel.sh "$work/root" "$("$qkv" --version | cut -d ' ' -f 2)" "$work")
fi
python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --no-index "$wheel" 2>err >out || complain "pip install"
# pip does not compare what it installs with RECORD.
python3 - "$wheel" 2>err <<'END' && ok || complain "RECORD is not what the wheel has"
import base64, csv, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
files = {name: wheel.read(name) for name in wheel.namelist()}
record, = (name for name in files if name.endswith("/RECORD"))
digest = lambda b: base64.urlsafe_b64encode(hashlib.sha256(b).digest()).decode().rstrip("=")
wanted = {name: ["sha256=" + digest(b), str(len(b))] for name, b in files.items()} | {record: ["", ""]}
found = {row[0]: row[1:] for row in csv.reader(files[record].decode().splitlines())}
assert found == wanted, "names or digests differ"
END
# All programs of this machine but those that compile; and nothing of the sources.
sh "$top/.ci/without.sh" gcc "$work/links"
rm -f "$work"/links/*cc "$work"/links/*cc-[0-9]* "$work"/links/c[89]9* "$work"/links/clang* "$work"/links/tcc
export PATH="$work/venv/bin:$work/links"
unset QKV_PATH CC
works 'mine.c' qkv new mine
qkv count -v ./mine.c >out 2>err && complain "there is a compiler" || expect 'no word of a compiler' grep -q 'set CC' err
works 'two-step	1792	896' qkv count --real -v standard,two-step --d-model 16 --columns variant,parameters,real --tsv
works 'M_i = W^Q W_i^Q' qkv derive two-step
works 'standard	two-step	exact' qkv-double equiv -v standard,two-step -t recall --steps 5 -q --columns from,to,is_it_the_same --tsv
echo "softmax(x W_i^Q (y W_i^Q)' / sqrt(d_k)) y W_i^V W_i^O" >idea.eq
works 'idea' qkv compare -v standard,./idea.eq -t reverse --seeds 1 --steps 20 -q --no-figures --tsv -o runs
! companion gnuplot "figures of the wheel's program" ||
    expect 'plot' eval 'qkv plot runs --format svg -q && [ -s runs/figures/curves-reverse.svg ]'
works 'man1/qkv.1' ls "$work"/venv/share/man/man1/qkv.1 "$work"/venv/share/doc/qkv/lessons/00-*.md
"$work/venv/bin/pip" uninstall -q -y qkv && [ -z "$(find "$work/venv" -path "*qkv*" -type f)" ] && ok || complain "pip uninstall leaves files"
finish
