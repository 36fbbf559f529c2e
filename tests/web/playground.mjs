// playground.mjs FOLDER - the playground, settings, and what goes wrong, tried as a
// reader would: links that keep the settings, Stop, reload in the middle, two tabs, words
// where the program cannot be had; all at 390, 768 and 1400 pixels, light and dark.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {open} from './browser.mjs';
import {end, expect} from './expect.mjs';

const folder = process.argv[2], build = join(folder, '..');
const web = await open(folder);
const HASH = '#a=standard&b=mqa&t=recall&seeds=2&heads=2&steps=40';
const ready = `document.querySelector('#compare [name=length]').placeholder !== ''`;
const done = `!document.querySelector('#download').hidden || document.querySelector('#compare .bad') !== null`;
const press = async (page, selector) => {
    const it = `document.querySelector(${JSON.stringify(selector)})`;
    await page.until(it + ' !== null');
    await page.run(it + '.click()');
};
const text = (page, selector) => page.run(`document.querySelector(${JSON.stringify(selector)}).textContent`);

// A link has all settings; the verdict and the runs are those of the program outside.
const page = await web.page('playground.html' + HASH);
expect('ready', await page.until(ready, 60));
expect('the command', await text(page, '#compare .changed'), '$ qkv compare -v standard,mqa -t recall --seeds 2 --heads 2 --steps 40');
await press(page, '#compare form button');
expect('curves while it trains', await page.until(`document.querySelectorAll('#compare .curves path[style]').length > 0 &&
    document.querySelector('#compare form button').textContent === 'Stop'`, 60));
expect('ends', await page.until(done, 120));
const desk = mkdtempSync(join(tmpdir(), 'playground-'));
const qkv = line => execFileSync(join(build, 'qkv'), line.split(' '), {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
const native = qkv(`compare -v standard,mqa -t recall --seeds 2 --heads 2 --steps 40 --no-figures --tsv -o ${desk}`)
    .trim().split('\n').map(line => line.split('\t'));
const verdict = native.find(row => row[1] === 'mqa')[native[0].indexOf('verdict')];
expect('the verdict', (await text(page, '#compare .verdict')).includes(`mqa against standard, by test_accuracy: ${verdict}.`));
const timed = ['seconds', 'tokens_per_second', 'peak_bytes', 'step_bytes'];
const untimed = tsv => {
    const rows = tsv.trim().split('\n').map(line => line.split('\t'));
    return rows.map(row => row.filter((_, i) => !timed.includes(rows[0][i])));
};
const saved = await page.run(`fetch(document.querySelector('#download').href).then(a => a.text())`);
expect('the runs as TSV', untimed(saved), untimed(qkv(`table ${desk} --tsv`)));
rmSync(desk, {recursive: true});
await press(page, '#compare .attention button');
expect('attention maps', await page.until(`document.querySelectorAll('#compare .heat').length === 2`, 30));
await page.run(`document.querySelector('.heat td[role]').focus()`);
await page.ask('Input.dispatchKeyEvent', {type: 'keyDown', key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39});
expect('a cell by its keys', /^row .* \(1\), column .* \(2\): \d/.test(await text(page, '.looked .says')));

// Changed settings are in the address, and the address in the settings.
await page.run(`{const f = document.querySelector('#compare [name=heads]'); f.value = 4; f.dispatchEvent(new Event('input', {bubbles: true}))}`);
expect('the address', (await page.run('location.hash')).includes('heads=4'));
await page.run(`location.hash = '${HASH.replace('mqa', 'gqa')}'`);
expect('from the address', await page.until(`document.querySelector('.changed').textContent.includes('standard,gqa')`));

// Stop, and again; reload in the middle; a second tab beside it.
await page.run(`{const f = document.querySelector('#compare [name=steps]'); f.value = 5000; f.dispatchEvent(new Event('input', {bubbles: true}))}`);
await press(page, '#compare form button');
expect('runs', await page.until(`document.querySelectorAll('#compare .curves path[style]').length > 0`, 60));
const other = await web.page('playground.html' + HASH);
await other.until(ready, 60);
await press(other, '#compare form button');
expect('a second tab ends', await other.until(done, 120));
expect('and says', /mqa against standard/.test(await text(other, '#compare .verdict')));
expect('the first still runs', await text(page, '#compare form button'), 'Stop');
await press(page, '#compare form button');
expect('stops', await page.until(`document.querySelector('#compare [role=status]').textContent === 'Stopped.'`));
await page.run(`{const f = document.querySelector('#compare [name=steps]'); f.value = 20; f.dispatchEvent(new Event('input', {bubbles: true}))}`);
await press(page, '#compare form button');
expect('runs again', await page.until(done + ` && document.querySelector('#compare form button').textContent === 'Run'`, 120));
expect('and says', /gqa against standard/.test(await text(page, '#compare .verdict')));
await press(other, '#compare form button');
await other.until(`document.querySelector('#compare form button').textContent === 'Stop'`);
await other.reload();
expect('after a reload the settings are there', await other.until(ready + ` && document.querySelector('#compare [name=b]').value === 'mqa'`, 60));
await press(other, '#compare form button');
expect('and it runs', await other.until(done, 120));

// What the program refuses, it says.
await other.run(`{const f = document.querySelector('#compare [name=heads]'); f.value = 5; f.dispatchEvent(new Event('input', {bubbles: true}))}`);
await press(other, '#compare form button');
expect('refused', await other.until(`/heads/.test(document.querySelector('#compare .bad')?.textContent)`, 30));

// A text that continues.
await other.run(`document.querySelector('#text [name=steps]').value = 20`);
await press(other, '#text form button');
expect('generates', await other.until(`document.querySelector('#text pre').textContent.startsWith('99 green')`, 120));

// A block whose settings were changed claims nothing.
const lesson = await web.page('01-one-head.html');
await press(lesson, '.run .quiet');
expect('settings open', await lesson.until(`document.querySelector('.settings input[type=range]') !== null`, 60));
await lesson.run(`{const s = document.querySelector('.settings input[type=range]'); s.value = 4; s.dispatchEvent(new Event('input'))}`);
expect('the command changes', (await text(lesson, '.settings .changed')).includes('--seed 4'));
await press(lesson, '.run button');
expect('no claim', await lesson.until(`/^With your settings/.test(document.querySelector('.run [role=status]').textContent)`, 30));
expect('other numbers', !(await text(lesson, '.run pre')).includes('-1.166'));
expect('matrices to point at', await lesson.run(`document.querySelectorAll('.run .heat').length > 2`));

for (const view of [page, lesson])
    for (const dark of [false, true]) {
        await view.dark(dark);
        for (const width of [390, 768, 1400]) {
            await view.size(width);
            expect(`${view.url} scrolls sideways at ${width}`, await view.run('document.documentElement.scrollWidth > innerWidth'), false);
        }
        const [ink, paper] = await view.run(`[getComputedStyle(document.querySelector('.alive')).color, getComputedStyle(document.querySelector('.alive select, .alive input')).backgroundColor]`);
        const light = colour => colour.match(/\d+/g).slice(0, 3).reduce((s, v) => s + +v, 0);
        expect(`${dark ? 'dark' : 'light'}: words are seen`, Math.abs(light(ink) - light(paper)) > 300);
    }
for (const [name, view] of Object.entries({page, other, lesson}))
    expect(name + ': faults', view.faults, []);
await web.close();

// Without the program, or without what it needs of WebAssembly: words, not silence.
const old = await open(folder);
const without = await old.page('01-one-head.html');
for (const program of ['qkv.wasm', 'qkv-fused.wasm'])
    old.hidden.add(program);
await press(without, '.run button');
expect('without the program', await without.until(`/could not be loaded/.test(document.querySelector('.run .bad')?.textContent)`, 30));
old.hidden.clear();
await press(without, '.run button');
expect('and when it is there again', await without.until(`document.querySelector('.run .good') !== null`, 60));
await without.ask('Page.addScriptToEvaluateOnNewDocument', {source: 'WebAssembly.validate = () => false'});
await without.reload();
await press(without, '.run button');
expect('without SIMD', await without.until(`/no WebAssembly SIMD/.test(document.querySelector('.run .bad')?.textContent)`, 30));
await old.close();
end('playground');
