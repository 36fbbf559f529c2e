// shell.mjs BUILD - the shell of the web edition against the real one: the same lines
// print the same, with no qkv in them; those with qkv are run by lessons.mjs.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Shell} from '../../lessons/web/shell.js';
import {end, expect} from './expect.mjs';

const TABLE = 'variant\ttask\tvalue\nstandard\trecall\t.5\nfused\trecall\t10\nstandard\treverse\t9e-1\n\nlast\tone\t-3\n';
const LINES = [
    'cut -f1,3 t.tsv', 'cut -f2- t.tsv', 'cut -f1-2 t.tsv | grep -v recall', "grep -E '^(st|la)' t.tsv", 'grep -c recall t.tsv', 'grep -A 1 recall t.tsv; grep -A1 fused t.tsv',
    "echo 'W^Q a+b$c(d)' >p; grep -o 'W^[VQ] a+b$c(.)' p", 'cat t.tsv >u.tsv; grep recall t.tsv u.tsv; grep -h fused t.tsv u.tsv',
    'head -2 t.tsv; tail -n 1 t.tsv', 'cat t.tsv | tail -n +3 | head -n 1', 'cat t.tsv | cksum', 'cat t.tsv t.tsv | cksum',
    "sed -n '1p;3,4p' t.tsv", "sed '1d;$d' t.tsv", "sed -n '/^fused/,/^$/p' t.tsv", "sed 's/a\\(.\\)/<\\1&>/' t.tsv",
    "sed 's/r/R/g; s/^[^.]*\\.//' t.tsv", "sed -n '2s/[ \\t].*//p' t.tsv", "echo a.b | sed 's/.*/& (x) \\& y/'", "seq 3 -1 1 | sed 's|1|/|'",
    "awk '$1 != $2' t.tsv", "awk 'NR == 1 || $3 > .5' t.tsv", "awk '$2 == \"recall\" { print FILENAME, $1 }' t.tsv",
    "awk 'NR > 1 { printf \"%.2f%s\", $NF, ++n % 2 ? \" \" : \"\\n\" }' t.tsv", "awk '!seen[$2]++' t.tsv",
    "awk -v RS= '/^(variant|last)/ { print s $0; s = \"\\n\" }' t.tsv", "awk -F'\\t' -v b=7 '{ n += $3 } END { print b, n, \"x\" n + 1 \"y\" }' t.tsv",
    "awk 'BEGIN { for (i = 0; i < 4; i++) { a = \"w\" i % 3; print a, i * 2 - 1 \"\\t\" -i; if (i > 1) print i / 7 } }'",
    'for v in one "two three"; do echo $v: "$v"; done | sed s/o/0/', 'grep -c none t.tsv || echo no; echo yes && echo "status $?"',
    'echo a >x; echo b >y; cat x y; ls -1', 'echo one.*.two t.* "t.*"', "echo $(echo in; echo side) '$x' \"a\\$b\"", '(echo a; echo b) | tail -n 1',
    'for constructor in 1; do echo "$constructor$toString"; done', "awk '{ n += toString + constructor[$1]++ } END { print n, valueOf }' t.tsv",
    'for n in 1 2\ndo\n  echo $n >f$n\ndone; cat f*',
];
const desk = mkdtempSync(join(tmpdir(), 'shell-'));
for (const line of LINES) {
    writeFileSync(join(desk, 't.tsv'), TABLE);
    const native = execFileSync('sh', ['-c', line], {cwd: desk, encoding: 'utf8', env: {...process.env, LC_ALL: 'C'}});
    execFileSync('sh', ['-c', 'rm -f "$1"/*', '-', desk]);
    let out = '';
    const files = new Map([['t.tsv', new TextEncoder().encode(TABLE)]]);
    await new Shell({files}, {onText: t => { out += t; }}).run(line).catch(e => { out += e.stack; });
    expect(line, out, native);
}
rmSync(desk, {recursive: true});
end('shell');
