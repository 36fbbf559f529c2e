// playground.mjs FOLDER - the playground, settings, and what goes wrong, tried as a
// reader would: every field, links that keep the settings and links of strangers, Stop,
// reload in the middle, two tabs, words where the program cannot be had; all at 390, 768
// and 1400 pixels, light and dark.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {open} from './browser.mjs';
import {end, expect} from './expect.mjs';

const folder = process.argv[2], build = join(folder, '..');
const web = await open(folder);
const HASH = '#a=standard&b=mqa&t=recall&seeds=2&heads=2&steps=40';
const done = `!document.querySelector('#download').hidden || document.querySelector('#compare .bad') !== null`;
const press = async (page, selector) => {
    const it = `document.querySelector(${JSON.stringify(selector)})`;
    await page.until(it + ' !== null');
    await page.run(it + '.click()');
};
const text = (page, selector) => page.run(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const desk = mkdtempSync(join(tmpdir(), 'playground-'));
const qkv = line => execFileSync(join(build, 'qkv'), line.split(' '), {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
const rowsOf = tsv => tsv.trim().split('\n').map(line => line.split('\t'));
const fields = page => page.run(`[...document.querySelectorAll('#compare [name]')].map(f => ({name: f.name, value: f.value,
    usual: f.placeholder, options: f.options && [...f.options].map(o => o.value), min: +f.min, step: +f.step}))`);
// A value is chosen from a menu, or typed instead of what is there.
const type = async (page, name, value) => {
    const menu = await page.run(`{const f = document.querySelector('#compare [name=${name}]'); f.focus(); f.select?.(); f.matches('select')}`);
    if (menu)
        await page.run(`{const f = document.activeElement; f.value = '${value}'; f.dispatchEvent(new Event('input', {bubbles: true}))}`);
    else
        await page.ask('Input.insertText', {text: String(value)});
};

// Before there is a program: the menus are its lists, and every field is in the command
// and in the link that the page copies, which opens with the same settings.
const early = await open(folder);
for (const program of ['qkv.wasm', 'qkv-fused.wasm'])
    early.hidden.add(program);
await early.send('Browser.grantPermissions', {permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite']});
const typed = await early.page('playground.html'), command = await text(typed, '#compare .changed');
expect('the command', command, '$ qkv compare -v standard,two-step -t recall --seeds 3');
const source = await typed.run(`fetch('playground.html').then(answer => answer.text())`);
const menu = name => [...source.split(`name="${name}"`)[1].split('</select>')[0].matchAll(/<option[^>]*>([^<]*)/g)].map(found => found[1]);
const [variants, tasks] = ['variants', 'tasks'].map(what => rowsOf(qkv(`list --${what} --tsv`)).slice(1));
for (const name of ['a', 'b', 'v'])
    expect(`the menu ${name}`, menu(name), variants.map(row => row[0]));
expect('the menu of tasks', menu('t'), tasks.map(row => row[0]).filter(task => !/^(text|pairs)$/.test(task)));
const all = await fields(typed), given = Object.fromEntries(all.filter(f => f.value).map(f => [f.name, f.value]));
expect('fields', all.length, 12);
expect('the usual length', all.find(f => f.name === 'length').usual,
    tasks.find(row => row[0] === given.t).at(-1).match(/length=(\d+)/)[1]);
for (const [i, field] of all.entries()) {
    given[field.name] = field.options?.at(-1 - i % 2) ?? String(field.min + 2 * (field.step || 1));
    await type(typed, field.name, given[field.name]);
    const {a, b, t, ...others} = given;
    const baseline = [a, b].includes('standard') ? '' : ' --baseline ' + a;
    const wanted = `$ qkv compare -v ${a},${b}${baseline} -t ${t}` + Object.entries(others).map(([name, value]) => ` --${name} ${value}`).join('');
    expect(`${field.name}: the command`, await text(typed, '#compare .changed'), wanted);
    await press(typed, '#link');
    expect(`${field.name}: a link is copied`, await typed.until('navigator.clipboard.readText().then(link => link === location.href)'));
    const opened = await early.page((await typed.run('location.href')).slice(early.origin.length + 1));
    expect(`${field.name}: the link's fields`, await fields(opened), await fields(typed));
    expect(`${field.name}: the link's command`, await text(opened, '#compare .changed'), wanted);
    expect(`${field.name}: faults`, opened.faults.filter(fault => !/404/.test(fault)), []);
    await opened.close();
}

// What a stranger's link asks for is done, or is named in a line as left out.
for (const [hash, refused, wanted = command] of [
    ['', ''], ['length=5', '', command + ' --length 5'], ['lr=0.001%2C0.003%2C0.01', '', command + ' --lr 0.001,0.003,0.01'],
    ['heads=&d-k=8', '', command + ' --d-k 8'], ['seeds=', '', command.replace(' --seeds 3', '')],
    ['__proto__=1', '__proto__=1'], ['constructor', 'constructor='], ['toString=1&elements=2&heads=2', 'toString=1, elements=2', command + ' --heads 2'],
    ['a=constructor', 'a=constructor'], ['t=text', 't=text'], ['b=', 'b='], ['a=mqa&a=gqa', 'a=gqa', command.replace('standard,two-step', 'mqa,two-step --baseline mqa')],
    ['length=1e999', 'length=1e999'], ['length=99999999999999999999', 'length=99999999999999999999'], ['steps=-1&heads=1.5', 'steps=-1, heads=1.5'],
    ['lr=1', 'lr=1'], ['heads=%zz%ff%00', 'heads=%zz'], ['%', '%='], ['heads=' + 'x'.repeat(100000), 'heads=xxx'],
    ['heads=<img src=x onerror=alert(1)>', 'heads=<img src=x onerror=alert(1)>'],
]) {
    const name = '#' + hash.slice(0, 40), opened = await early.page('playground.html#' + hash);
    expect(`${name}: the command`, await text(opened, '#compare .changed'), wanted);
    const line = await text(opened, '#compare [role=alert]');
    expect(`${name}: says ${line.slice(0, 100)}`, refused ? line.includes(refused) && line.length < 400 : line === '');
    expect(`${name}: scrolls sideways`, await opened.run('document.documentElement.scrollWidth > innerWidth'), false);
    expect(`${name}: faults`, opened.faults.filter(fault => !/404/.test(fault)), []);
    await opened.close();
}
// One address after the other in the same tab: nothing of the first is left.
await typed.run(`location.hash = '#t=reverse'`);
expect('another link', await typed.until(`document.querySelector('#compare .changed').textContent === '${command.replace('recall', 'reverse')}'`));
expect('its usual length', (await fields(typed)).find(f => f.name === 'length').usual, '16');
await early.close();

// A link has all settings; the verdict and the runs are those of the program outside.
const page = await web.page('playground.html' + HASH);
expect('the command', await text(page, '#compare .changed'), '$ qkv compare -v standard,mqa -t recall --seeds 2 --heads 2 --steps 40');
await press(page, '#compare form button');
expect('curves while it trains', await page.until(`document.querySelectorAll('#compare .curves path[style]').length > 0 &&
    document.querySelector('#compare form button').textContent === 'Stop'`, 60));
expect('ends', await page.until(done, 120));
const native = rowsOf(qkv(`compare -v standard,mqa -t recall --seeds 2 --heads 2 --steps 40 --no-figures --tsv -o ${desk}`));
const verdict = native.find(row => row[1] === 'mqa')[native[0].indexOf('verdict')];
expect('the verdict', (await text(page, '#compare .verdict')).includes(`mqa against standard, by test_accuracy: ${verdict}.`));
const timed = ['seconds', 'tokens_per_second', 'peak_bytes', 'step_bytes'];
const untimed = tsv => {
    const rows = rowsOf(tsv);
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
await type(page, 'heads', 4);
expect('the address', (await page.run('location.hash')).includes('heads=4'));
await page.run(`location.hash = '${HASH.replace('mqa', 'gqa')}'`);
expect('from the address', await page.until(`document.querySelector('.changed').textContent.includes('standard,gqa')`));

// Stop, and again; reload in the middle; a second tab beside it.
await type(page, 'steps', 5000);
await press(page, '#compare form button');
expect('runs', await page.until(`document.querySelectorAll('#compare .curves path[style]').length > 0`, 60));
const other = await web.page('playground.html' + HASH);
await press(other, '#compare form button');
expect('a second tab ends', await other.until(done, 120));
expect('and says', /mqa against standard/.test(await text(other, '#compare .verdict')));
expect('the first still runs', await text(page, '#compare form button'), 'Stop');
await press(page, '#compare form button');
expect('stops', await page.until(`document.querySelector('#compare [role=status]').textContent === 'Stopped.'`));
await type(page, 'steps', 20);
await press(page, '#compare form button');
expect('runs again', await page.until(done + ` && document.querySelector('#compare form button').textContent === 'Run'`, 120));
expect('and says', /gqa against standard/.test(await text(page, '#compare .verdict')));
await press(other, '#compare form button');
await other.until(`document.querySelector('#compare form button').textContent === 'Stop'`);
await other.reload();
expect('after a reload the settings are there', await other.run(`document.querySelector('#compare [name=b]').value`), 'mqa');
await press(other, '#compare form button');
expect('and it runs', await other.until(done, 120));

// What the program refuses, it says.
await type(other, 'heads', 5);
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
