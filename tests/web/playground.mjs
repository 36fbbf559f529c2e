// playground.mjs FOLDER - the playground, settings, and what goes wrong, tried as a
// reader would: every field, links that keep the settings and links of strangers, Stop,
// words where the program cannot be had; all at 390, 768 and 1400 pixels, light and dark.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {end, expect, open} from './browser.mjs';

const folder = process.argv[2], build = join(folder, '..'), desk = mkdtempSync(join(tmpdir(), 'playground-'));
const web = await open(folder);
const PROGRAMS = ['qkv.wasm', 'qkv-fused.wasm'], RUN = '#compare form button', COMMAND = '#compare .changed';
const it = selector => `document.querySelector(${JSON.stringify(selector)})`;
const text = (page, selector) => page.run(it(selector) + '.textContent');
const press = async (page, selector) => {
    await page.until(it(selector) + ' !== null');
    await page.run(it(selector) + '.click()');
};
// It comes to that within seconds; what is named says so.
const comes = async (what, page, expression, seconds) => expect(what, await page.until(expression, seconds));
const says = (what, page, selector, words, seconds) => comes(what, page, `${words}.test(${it(selector)}?.textContent)`, seconds);
const sideways = async (what, page) => expect(what + ': scrolls sideways',
    await page.run('document.documentElement.scrollWidth > innerWidth'), false);
const done = `!${it('#download')}.hidden || ${it('#compare .bad')} !== null`;
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
const clean = (what, page) => expect(what + ': faults', page.faults.filter(fault => !/404/.test(fault)), []);
for (const program of PROGRAMS)
    early.hidden.add(program);
await early.send('Browser.grantPermissions', {permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite']});
const typed = await early.page('playground.html'), command = await text(typed, COMMAND);
expect('the command', command, '$ qkv compare -v standard,two-step -t recall --seeds 3');
const source = await typed.run(`fetch('playground.html').then(answer => answer.text())`);
const menu = name => [...source.split(`name="${name}"`)[1].split('</select>')[0].matchAll(/<option[^>]*>([^<]*)/g)].map(found => found[1]);
const [variants, tasks] = ['', '--tasks '].map(what => rowsOf(qkv(`list ${what}--tsv`)).slice(1));
for (const name of ['a', 'b', 'v'])
    expect(`the menu ${name}`, menu(name), variants.map(row => row[0]));
expect('the menu of tasks', menu('t'), tasks.map(row => row[0]).filter(task => task !== 'text'));
const all = await fields(typed), given = Object.fromEntries(all.filter(f => f.value).map(f => [f.name, f.value]));
expect('fields', all.length, 12);
expect('the usual length', all.find(f => f.name === 'length').usual,
    tasks.find(row => row[0] === given.t).at(-1).match(/length=(\d+)/)[1]);
await press(typed, '#more summary');
for (const [i, field] of all.entries()) {
    given[field.name] = field.options?.at(-1 - i % 2) ?? String(field.min + 2 * (field.step || 1));
    await type(typed, field.name, given[field.name]);
    const {a, b, t, ...others} = given;
    const baseline = [a, b].includes('standard') ? '' : ' --baseline ' + a;
    expect(`${field.name}: the command`, await text(typed, COMMAND),
        `$ qkv compare -v ${a},${b}${baseline} -t ${t}` + Object.entries(others).map(([name, value]) => ` --${name} ${value}`).join(''));
}
await press(typed, '#link');
await comes('a link is copied', typed, 'navigator.clipboard.readText().then(link => link === location.href)');
const linked = await early.page((await typed.run('location.href')).slice(early.origin.length + 1));
expect(`the link's fields`, await fields(linked), await fields(typed));
expect(`the link's command`, await text(linked, COMMAND), await text(typed, COMMAND));
clean('the link', linked);

// What a stranger's link asks for is done, or is named in a line as left out.
for (const [hash, refused, wanted = command] of [
    ['lr=0.001%2C0.003%2C0.01', '', command + ' --lr 0.001,0.003,0.01'],
    ['heads=&d-k=8', '', command + ' --d-k 8'],
    ['__proto__=1', '__proto__=1'],
    ['toString=1&elements=2&heads=2', 'toString=1, elements=2', command + ' --heads 2'],
    ['t=text', 't=text'],
    ['a=mqa&a=gqa', 'a=gqa', command.replace('standard,two-step', 'mqa,two-step --baseline mqa')],
    ['length=1e999', 'length=1e999'],
    ['steps=-1&heads=1.5', 'steps=-1, heads=1.5'],
    ['heads=%zz%ff%00', 'heads=%zz'],
    ['heads=' + 'x'.repeat(100000), 'heads=xxx'],
    ['heads=<img src=x onerror=stolen()>', 'heads=<img src=x onerror=stolen()>'],
]) {
    const name = '#' + hash.slice(0, 40), opened = await early.page('playground.html#' + hash);
    expect(`${name}: the command`, await text(opened, COMMAND), wanted);
    const line = await text(opened, '#compare [role=alert]');
    expect(`${name}: says ${line.slice(0, 100)}`, refused ? line.includes(refused) && line.length < 400 : line === '');
    await sideways(name, opened);
    clean(name, opened);
    await opened.close();
}
// One address after the other in the same tab: nothing of the first is left.
await typed.run(`location.hash = '#t=reverse'`);
await comes('another link', typed, `${it(COMMAND)}.textContent === '${command.replace('recall', 'reverse')}'`);
expect('its usual length', (await fields(typed)).find(f => f.name === 'length').usual, '16');
await early.close();

// A link has all settings; the verdict and the runs are those of the program outside.
const page = await web.page('playground.html#a=standard&b=mqa&t=recall&seeds=2&heads=2&steps=40');
await press(page, RUN);
await comes('curves while it trains', page, `document.querySelectorAll('#compare .curves path[style]').length > 0 &&
    ${it(RUN)}.textContent === 'Stop'`, 60);
await comes('ends', page, done, 120);
const native = rowsOf(qkv(`compare -v standard,mqa -t recall --seeds 2 --heads 2 --steps 40 --no-figures --tsv -o ${desk}`));
const verdict = native.find(row => row[1] === 'mqa')[native[0].indexOf('verdict')];
expect('the verdict', (await text(page, '#compare .verdict')).includes(`mqa against standard, by test accuracy: ${verdict}, difference `));
expect('the verdict names its one rate', (await text(page, '#compare .verdict')).includes('at one learning rate: at another, the verdict may turn round'));
const timed = ['seconds', 'tokens_per_second', 'peak_bytes', 'step_bytes'];
const untimed = tsv => rowsOf(tsv).map((row, _, [header]) => row.filter((_, i) => !timed.includes(header[i])));
const saved = await page.run(`fetch(${it('#download')}.href).then(a => a.text())`);
expect('the runs as TSV', untimed(saved), untimed(qkv(`table ${desk} --tsv`)));
rmSync(desk, {recursive: true});
await press(page, '#compare .attention button');
await comes('attention maps', page, `document.querySelectorAll('#compare .heat').length === 2`, 30);
await page.run(it('.heat td[role]') + '.focus()');
await page.ask('Input.dispatchKeyEvent', {type: 'keyDown', key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39});
expect('a cell by its keys', /^row .* \(1\), column .* \(2\): \d/.test(await text(page, '.looked .says')));

// Stop, and again with other settings; what the program refuses, it says.
await type(page, 'steps', 5000);
await press(page, RUN);
await comes('runs', page, `document.querySelectorAll('#compare .curves path[style]').length > 0`, 60);
await press(page, RUN);
await says('stops', page, '#compare [role=status]', '/^Stopped.$/');
await type(page, 'steps', 20);
await press(page, RUN);
await comes('runs again', page, `(${done}) && ${it(RUN)}.textContent === 'Run'`, 120);
await says('and says', page, '#compare .verdict', '/mqa against standard/');
await type(page, 'heads', 5);
await press(page, RUN);
await says('refused', page, '#compare .bad', '/divide evenly/', 30);

// A text that continues.
await page.run(`${it('#text [name=steps]')}.value = 20`);
await press(page, '#text form button');
await says('generates', page, '#text pre', '/^99 green/', 120);

// A block whose settings were changed claims nothing.
const lesson = await web.page('01-one-head.html'), slider = '.settings input[type=range]';
await press(lesson, '.run .quiet');
await comes('settings open', lesson, it(slider) + ' !== null', 60);
await lesson.run(`{const s = ${it(slider)}; s.value = 4; s.dispatchEvent(new Event('input'))}`);
await says('the command changes', lesson, '.settings .changed', '/--seed 4/');
await press(lesson, '.run button');
await says('no claim', lesson, '.run [role=status]', '/^With your settings/', 30);
expect('other numbers', !(await text(lesson, '.run pre')).includes('0.219   0.094'));
expect('matrices to point at', await lesson.run(`document.querySelectorAll('.run .heat').length > 2`));

for (const view of [page, lesson]) {
    for (const dark of [false, true]) {
        await view.dark(dark);
        for (const width of [390, 768, 1400]) {
            await view.size(width);
            await sideways(`${view.url} at ${width}`, view);
        }
        const [ink, paper] = await view.run(`[getComputedStyle(${it('.alive')}).color, getComputedStyle(${it('.alive select, .alive input')}).backgroundColor]`);
        const light = colour => colour.match(/\d+/g).slice(0, 3).reduce((s, v) => s + +v, 0);
        expect(`${dark ? 'dark' : 'light'}: words are seen`, Math.abs(light(ink) - light(paper)) > 300);
    }
    expect(view.url + ': faults', view.faults, []);
}

// Without the program, or without what it needs of WebAssembly: words, not silence.
const without = await web.page('01-one-head.html');
for (const program of PROGRAMS)
    web.hidden.add(program);
await press(without, '.run button');
await says('without the program', without, '.run .bad', '/could not be loaded/', 30);
web.hidden.clear();
await press(without, '.run button');
await comes('and when it is there again', without, it('.run .good') + ' !== null', 60);
await without.ask('Page.addScriptToEvaluateOnNewDocument', {source: 'WebAssembly.validate = () => false'});
await without.reload();
await press(without, '.run button');
await says('without SIMD', without, '.run .bad', '/no WebAssembly SIMD/', 30);
await web.close();
end('playground');
