// equation.mjs - the line to type an equation in, used as a reader would, by keys: its form
// or its mistake is what the program outside says, training gives its verdict, the link that
// is copied shows it again, and a stranger's link is only text. And exercises on their pages:
// wrong, then right; the judge there says what it says to `make exercise`.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {end, expect, open} from './browser.mjs';

const folder = process.argv[2], build = join(process.cwd(), folder, '..'), desk = mkdtempSync(join(tmpdir(), 'equation-'));
const qkv = line => execFileSync(join(build, 'qkv'), line.split(' '), {cwd: desk, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
const web = await open(folder);
await web.send('Browser.grantPermissions', {permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite']});
const it = selector => `document.querySelector('#equation ${selector}')`;
const says = async (what, page, words, selector = '.derived', seconds = 20) =>
    expect(`${what}: ${words}`, await page.until(`${words}.test(${it(selector)}.innerText)`, seconds));
const key = (page, name, code) => page.ask('Input.dispatchKeyEvent', {type: 'keyDown', key: name, windowsVirtualKeyCode: code, text: name === 'Enter' ? '\r' : undefined});
const type = async (page, equation) => {
    await page.run(`{const f = ${it('textarea')}; f.focus(); f.select()}`);
    await page.ask('Input.insertText', {text: equation});
    writeFileSync(join(desk, 'yours.eq'), equation + '\n');
};

const page = await web.page('03-two-maps.html', {width: 390}), two = `softmax(x W^Q W_i^Q (y W^K W_i^K)' / sqrt(d_k)) y W_i^V W_i^O`;
expect('nothing is loaded before it is used', await page.run(`performance.getEntriesByName(new URL('qkv.js', location)).length`), 0);
await type(page, two);
await says('the form', page, `/^Mi = WQ WiQ \\(WK WiK\\)' \\/ sqrt\\(dk\\), rank <= dk/`);
const [, stored, real] = qkv('derive ./yours.eq').match(/(\d+) parameters at .*, (\d+) real/);
await says('its parameters', page, `/${stored} parameters are stored, ${real} are real/`);
await type(page, two.replace('x W^Q W_i^Q', 'tanh(x W^Q) W_i^Q'));
await says('with a tanh the form is gone', page, '/^no form: /');
expect('the tanh is marked', await page.run(it('.bend') + '.textContent'), '[tanh]');
const wrong = two.replace('(x', '(x)');
await type(page, wrong);
await says('a mistake', page, `/\\n {${4 + wrong.lastIndexOf('))') + 1}}\\^\\nline 1: expected/`);
expect('the field says so', await page.run(it('textarea') + '.ariaInvalid'), 'true');
await page.run(it('form button') + '.click()');
await says('it is not trained', page, '/mistake is marked above/', '[role=status]');

// By keys from the field: to the button, which trains, to the link, which shows it again.
await type(page, two);
await says('the form again', page, '/^M/');
await key(page, 'Tab', 9);
await key(page, 'Enter', 13);
await says('trains', page, '/^Done/', '[role=status]', 180);
const [heads, ...rows] = qkv('compare -v standard,./yours.eq -t recall --seeds 3 --lr auto --no-figures --tsv -o runs').trim().split('\n').map(l => l.split('\t'));
const [verdict, difference] = ['verdict', 'difference'].map(name => rows[1][heads.indexOf(name)]);
await says('the verdict', page, `/yours against standard, by [\\w ]+: ${verdict}, difference ${difference}, each at its best of nine/`, '.verdict');
expect('curves at the chosen rates', await page.run(`document.querySelectorAll('#equation figure:first-child path[style]').length`), 6);
await key(page, 'Tab', 9);
await key(page, 'Enter', 13);
await says('the link', page, '/^Copied/', '.quiet');
const linked = await web.page((await page.run('navigator.clipboard.readText()')).slice(web.origin.length + 1));
await says('the link shows it', linked, `/${stored} parameters are stored, ${real} are real/`);
expect('and has it', await linked.run(it('textarea') + '.value'), two);
const foreign = '<img src=x onerror=console.error(1)>\u202e', stranger = await web.page('playground.html#heads=2&equation=' + encodeURIComponent(foreign));
await says('a foreign link is text', stranger, '/<img src=x/');
expect('the settings and the equation', await stranger.run(`[${it('textarea')}.value, document.querySelector('[name=heads]').value,
    new URLSearchParams(location.hash.slice(1)).get('equation'), document.querySelectorAll('#equation img').length]`), [foreign, '2', foreign, 0]);
for (const name of ['06-one-full-matrix', '08-symmetric', '09-scale', '11-positions', '16-your-own']) {
    const lesson = await web.page(name + '.html', {width: 390, dark: true});
    await lesson.run(it('textarea') + '.focus()');
    await says(name, lesson, '/are real/');
    expect(name + ': scrolls sideways', await lesson.run('document.documentElement.scrollWidth > innerWidth'), false);
    await lesson.close();
}

// --- exercises
const part = 'section[aria-label=Exercises]', lesson = await web.page('12-sharing.html', {width: 390});
const reads = async (what, words) => expect(what, await lesson.until(`${words}.test(document.querySelector('${part}').innerText)`, 20));
const answer = async given => {
    for (const [name, value] of Object.entries(given))
        await lesson.run(`document.querySelector('${part} [open] [name=${name}]').value = ${JSON.stringify(value)}`);
    await lesson.run(`document.querySelector('${part} [open] [name]').focus()`);
    if (!given.equation)
        return key(lesson, 'Enter', 13);
    await key(lesson, 'Tab', 9);
    await key(lesson, 'Enter', 13);
};
await lesson.run(`localStorage.setItem('qkv exercises', '[1')`);
await lesson.run(`document.querySelector('${part} summary').focus()`);
await key(lesson, 'Enter', 13);
await reads('opened by a key', '/keeps most/');
expect('no answer is there before', await lesson.run(`performance.getEntriesByType('resource').some(e => /answers|why/.test(e.name))`), false);
await answer({a: '512', b: '128', c: '256', d: '1/4', e: 'standard gqa mqa'});
await reads('wrong', '/both are kept[^]*not 1.4 or 25%[^]*from most to least[^]*Not yet/');
await answer({a: '1,024', d: '128', e: 'mqa, gqa, standard'});
await reads('right', '/12-numbers.* ✓ done[^]*✓ Right\\. standard keeps/');
await lesson.reload();
await reads('remembered', '/12-numbers.* ✓ done/');
expect('C needs the terminal', await lesson.run(`/make exercise N=12-groups/.test(document.querySelector('${part}').textContent)`));
await lesson.ask('Page.navigate', {url: lesson.url.replace('12-sharing', '06-one-full-matrix')});
await lesson.until(`document.querySelectorAll('${part} summary').length === 3`);
await lesson.run(`document.querySelectorAll('${part} details')[2].open = true`);
await lesson.until(`document.querySelector('${part} textarea') !== null`);
const six = "softmax(x W_i y' / sqrt(d_model)) y W_i^V W_i^O";
await answer({equation: six.replace('(x', '(x)')});
await reads('an equation with a mistake', '/\\^\\nline 1: expected/');
await answer({equation: six});
await reads('a wrong one', '/✗ there are still two matrices/');
await answer({equation: six.replace('W_i^V ', '')});
await reads('a right one', '/06-form.* ✓ done/');
// The same programs through awk.js and awk; and through both, the judge of right, wrong and no answers.
const exercises = 'lessons/exercises', judge = join(exercises, 'answers.awk'), read = path => readFileSync(path, 'utf8');
writeFileSync(join(desk, 'awk.mjs'), read('lessons/web/awk.js'));
const {awk} = await import(join(desk, 'awk.mjs')), outside = (args, input) => execFileSync('awk', args, {input, encoding: 'utf8'});
for (const program of ['{ print substr($0, 2) "|" substr($0, 12, 99) "|" substr($0, 3, 2) }', '{ n = gsub(/o+/, "<&>"); print n, $0, $1 }',
    '{ x = $2; gsub("[ot]", "\\\\&$1$&", x); print x }', '{ gsub(/ /, "  "); print $2 ~ /^b.*k$/, NF; $2 = "$&"; print }'])
    expect(program, awk([program], 'foo book\none two o\n'), outside([program], 'foo book\none two o\n'));
expect('substr as POSIX has it, and not mawk', awk(['{ print substr($0, 0, 3) }'], 'foo\n'), 'fo\n');
for (const file of readdirSync(exercises).filter(name => name.endsWith('numbers.answers')).map(name => join(exercises, name))) {
    const rows = read(file).trim().split('\n').map(row => row.split('\t')), options = ['-F', '\t', '-v', 'name=N'];
    for (const which of [row => row[2] === 'ok', row => row[2] !== 'ok', () => false]) {
        const input = rows.filter(which).map(([question, value]) => `${question}: ${value}\n`).join('') + 'z: 1\n';
        expect(`${file}: ${which}`, awk([...options, read(judge), file, 'z'], '', {read: path => path === 'z' ? input : read(path)}),
            outside([...options, '-f', judge, file, '-'], input));
    }
}
for (const view of [page, linked, stranger, lesson])
    expect(view.url + ': faults', view.faults, []);
await web.close();
rmSync(desk, {recursive: true});
end('equation');
