// merge.mjs FOLDER - the diagram of M and N: its numbers are those of
// plots/diagrams/one-head-merged.awk, what merges merges and what cannot does not.

import {execFileSync} from 'node:child_process';
import {open} from './browser.mjs';
import {end, expect} from './expect.mjs';

// The same by pen.awk, which knows nothing of the page.
const pen = expression => execFileSync('awk', ['-f', 'plots/diagrams/pen.awk', '-f', '-'],
    {input: `BEGIN { two_tokens(); ${expression} }`, encoding: 'utf8'}).replace('</svg>', '').trim().split(/\s+/);
const all = (name, form) => pen(`for (i = 1; i <= ${name}["r"]; i++) for (j = 1; j <= ${name}["c"]; j++)` +
    `print shown(${name}[i, j], "${form}")`);

const web = await open(process.argv[2]);
const page = await web.page('02-many-heads.html');
const cells = name => page.run(`[...document.querySelectorAll('#merge table')].filter(t =>
    t.ariaLabel.startsWith(${JSON.stringify(name + ',')})).map(t =>
    [...t.querySelectorAll('td')].map(d => d.textContent))`);
const choose = (qk, ov) => page.run(`{const s = document.querySelectorAll('#merge select');
    s[0].value = '${qk}'; s[1].value = '${ov}';
    for (const one of s) one.dispatchEvent(new Event('change'))}`);
const says = () => page.run(`document.querySelector('#merge [role=status]').innerText`);

expect('scores apart', (await cells('scores'))[0], all('S', '%d'));
expect('weights', (await cells('weights'))[0], all('P', '%.2f'));
expect('output', (await cells('output'))[0], all('OUT', '%.2f'));
expect('M before', await cells('M'), []);
// By keyboard.
await page.run(`document.querySelector('#merge button').focus()`);
for (const type of ['keyDown', 'keyUp'])
    await page.ask('Input.dispatchKeyEvent', {type, key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r'});
expect('merges', await page.until(`document.querySelector('#merge [role=status] p')`));
expect('M', (await cells('M'))[0], all('M', '%d'));
expect('N', (await cells('N'))[0], all('N', '%d'));
for (const way of ['output', 'one map after the other', 'with M and N'])
    expect(way, (await cells(way))[0], all('OUT', '%.2f'));
expect('same', /✓ The output is the same/.test(await says()));

for (const between of ['tanh', 'norm', 'rotation', 'narrow']) {
    await choose(between, 'nothing');
    const merges = between === 'narrow';
    expect(between + ' merges', (await cells('M')).length === 1, merges);
    expect(between + ': N still merges', (await cells('N')).length, 1);
    expect(between + ' says', (await says()).includes(merges ? 'only of rank 1' : 'WQ and WK cannot merge'));
    expect(between + ' is the same', (await says()).includes('✓'), merges);
    const [[apart], [together]] = [await cells('one map after the other'), await cells('with M and N')];
    expect(between + ': outputs', String(apart) === String(together), merges);
}
// tanh of token 1's first score: tanh(2) tanh(0 + 1) + tanh(0) tanh(1 + 1).
await choose('tanh', 'norm');
expect('a score of tanh', (await cells('scores'))[0][0], (Math.tanh(2) * Math.tanh(1)).toFixed(2).slice(1));
expect('neither merges', [(await cells('M')).length, (await cells('N')).length], [0, 0]);
await choose('rotation', 'nothing');
expect('M(1) = W^Q R W^K\'', (await cells('M(1)'))[0],
    pen('set(R, "0 1 / -1 0"); product(A, WQ, R); product_t(M, A, WK);' +
        'for (i = 1; i <= 3; i++) for (j = 1; j <= 3; j++) print shown(M[i, j])'));
for (const width of [390, 768, 1400]) {
    await page.size(width);
    expect(`no sideways scrolling at ${width}`, await page.run("document.documentElement.scrollWidth <= innerWidth"));
}
for (const [asked, taken, says] of [['tanh', 'tanh', ''], ['constructor', 'nothing', '“constructor”'], ['__proto__', 'nothing', '“__proto__”'],
    ['%zz', 'nothing', '“%zz”'], ['tanh&between=norm', 'nothing', '“tanh,norm”'], ['', 'nothing', '']]) {
    const other = await web.page('02-many-heads.html?between=' + asked);
    expect(`between=${asked}: the menu`, await other.run(`document.querySelector('#merge select')?.value`), taken);
    expect(`between=${asked}: a line`, await other.run(`document.querySelector('#merge [role=status]')?.textContent.includes('${says}')`));
    expect(`between=${asked}: faults`, other.faults, []);
    await other.close();
}
const linked = await web.page('11-positions.html');
expect('a link from lesson 11', await linked.run(
    `document.querySelector('a[href$="between=rotation#merge"]') !== null`));
expect('faults', page.faults.concat(linked.faults), []);
await web.close();
end('merge');
