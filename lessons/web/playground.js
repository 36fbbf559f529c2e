// playground.js - the playground page: two variants side by side on a task, with the
// verdict of `qkv compare`; and a text that a run trained here continues. The settings
// are in the address, so that a link keeps them.

import {element} from './matrix.js';
import {inTurn, loaded} from './one-engine.js';
import {usual} from './settings.js';
import {Curves} from './curves.js';
import {attention, runsIn} from './look.js';

const $ = selector => document.querySelector(selector);
const table = tsv => tsv.trim().split('\n').map(line => line.split('\t'));
const DESK = 'playground';

// A form whose button runs `work` and, while it runs, stops it.
function worker(section, work) {
    const part = selector => section.querySelector(selector), button = part('form button'), name = button.textContent;
    const says = part('[role=status]'), bar = part('progress');
    let running = false;
    part('form').addEventListener('submit', async event => {
        event.preventDefault();
        if (running) {
            running = false;
            return (await loaded()).stop();
        }
        running = true;
        button.textContent = 'Stop';
        bar.hidden = false;
        bar.removeAttribute('value');
        says.replaceChildren('Loads the program …');
        const curves = new Curves(part('.curves')), start = performance.now();
        // A command's output; a failed command ends the work with what it said.
        const run = async (engine, words) => {
            let out = '', err = '';
            if (!running)
                throw new Error('stopped');
            says.replaceChildren('Running …');
            const {status, words: why} = await engine.run(words, {program: 'qkv',
                onOut: s => { out += s; },
                onErr: s => {
                    err += s;
                    const [, done, all] = s.match(/^(\d+)\/(\d+) /) || [];
                    if (all)
                        bar.value = done / all;
                },
                onLog: log => {
                    curves.add(log);
                    if (parseInt(log.line))
                        bar.value = (curves.runs.size - 1 + parseInt(log.line) / log.steps) / log.runs;
                }});
            if (status)
                throw new Error(running ? why || err.replace(/^qkv: /, '').trim() : 'stopped');
            return {out, err};
        };
        try {
            const engine = await loaded();
            await inTurn(() => work(engine, words => run(engine, words)));
            says.replaceChildren(`Done in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
        } catch (error) {
            says.replaceChildren(running ? element('span', {className: 'bad'}, '✗ ' + error.message) : 'Stopped.');
        }
        running = false;
        bar.hidden = true;
        button.textContent = name;
    });
}

// A form is read through FormData, and written through its controls by name: as properties
// of form.elements, names such as "length" would be those of the collection itself.
const controls = form => new Map([...form.querySelectorAll('[name]')].map(field => [field.name, field]));

// The command that the form asks for; what is left empty is as usual.
const form = $('#compare form'), fields = controls(form);
function words() {
    const {a, b, t, ...others} = Object.fromEntries(new FormData(form));
    const asked = Object.entries(others).flatMap(([name, value]) => value ? ['--' + name, value] : []);
    const variants = [...new Set([a, b])], baseline = variants.includes('standard') ? [] : ['--baseline', a];
    return ['compare', '-v', variants.join(','), ...baseline, '-t', t, ...asked];
}

// The form's settings into the address, the command and, where a field is empty, what is usual.
function remember() {
    const kept = new URLSearchParams([...new FormData(form)].filter(([name, value]) => value || fields.get(name).defaultValue));
    history.replaceState(null, '', '#' + kept);
    $('.changed').textContent = '$ qkv ' + words().join(' ');
    for (const field of form.querySelectorAll('input:not([name=seeds])'))
        field.placeholder = usual(fields.get('t').value, field.name) ?? '';
}

// The address's settings into the form, each once, if its field takes it.
function recall() {
    const left = new Map(fields), refused = [];
    form.reset();
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
        const field = left.get(name) ?? {}, before = field.value;
        field.value = value;
        if (field.validity?.valid && new FormData(form).get(name) === value)
            left.delete(name);
        else {
            refused.push(name + '=' + value);
            field.value = before;
        }
    }
    const line = refused.join(', ');
    $('#compare [role=alert]').replaceChildren(line && element('span', {className: 'bad'},
        '✗ Not taken from the link, because the page has no such field or value, or it is given twice: ' +
        (line.length > 200 ? line.slice(0, 200) + ' …' : line)));
    remember();
}

// What `qkv compare` says of the second variant, in a sentence.
function sentence([heads, ...rows]) {
    const row = rows.map(cells => Object.fromEntries(heads.map((h, i) => [h, cells[i]])));
    const [base, other] = [row.find(r => r.verdict === 'baseline'), row.find(r => r.verdict !== 'baseline')];
    if (!other)
        return `${base.variant} alone: test accuracy ${base.test_accuracy}, ${base.solved} solved.`;
    const rate = fields.get('lr').value.includes(',') ? 'each at its best of three learning rates' :
        'at one learning rate: at another, the verdict may turn round';
    return `${other.variant} against ${base.variant}, by ${other.judged}: ${other.verdict}, difference ${other.difference}, ${rate}. ` +
        `(Test accuracy ${other.test_accuracy} against ${base.test_accuracy}, ${other.solved} and ${base.solved} solved.)`;
}

function show(rows, place) {
    const shown = ['variant', 'parameters', 'solved', 'median_steps', 'test_accuracy', 'test_loss', 'verdict'];
    const at = shown.map(name => rows[0].indexOf(name));
    place.replaceChildren(element('table', {}, ...rows.map((row, i) => element('tr', {}, ...at.map(j =>
        element(i ? 'td' : 'th', i ? {} : {scope: 'col'}, row[j].replace(/_/g, i ? '_' : ' ')))))));
}

worker($('#compare'), async (engine, run) => {
    for (const place of ['.verdict', '.table', '.attention'])
        $('#compare ' + place).replaceChildren();
    $('#download').hidden = true;
    for (const path of [...engine.files.keys()].filter(p => p.startsWith(DESK + '/')))
        engine.files.delete(path);
    const {out, err} = await run([...words(), '--no-figures', '--tsv', '-o', DESK]);
    const rows = table(out);
    $('#compare .verdict').replaceChildren(element('p', {}, element('b', {}, sentence(rows))),
        ...err.split('\n').filter(line => line.startsWith('qkv: ')).map(line => element('p', {}, line.slice(5))));
    show(rows, $('#compare .table'));
    const runs = await run(['table', DESK, '--tsv']);
    URL.revokeObjectURL($('#download').href);
    $('#download').href = URL.createObjectURL(new Blob([runs.out], {type: 'text/tab-separated-values'}));
    $('#download').hidden = false;
    attention(engine, runsIn([...engine.files.keys()].filter(p => p.startsWith(DESK + '/'))), $('#compare .attention'));
});

const text = controls($('#text form'));
worker($('#text'), async (engine, run) => {
    const shown = $('#text pre');
    for (const path of [...engine.files.keys()].filter(p => p.startsWith('song/')))
        engine.files.delete(path);
    engine.files.set('song.txt', new TextEncoder().encode(text.get('text').value));
    await run(['train', '-v', text.get('v').value, '--file', 'song.txt', '--length', '64', '--layers', '2', '--positions', 'rope',
        '--lr', '0.01', '--steps', text.get('steps').value, '--seed', '1', '-o', 'song']);
    const {out} = await run(['generate', ...runsIn([...engine.files.keys()]).filter(r =>
        r.startsWith('song/')), '--prompt', text.get('prompt').value, '--tokens', text.get('tokens').value, '--temperature', '0']);
    shown.textContent = out;
    shown.hidden = false;
});

function copier(button, what) {
    const name = button.textContent;
    button.addEventListener('click', async () => {
        const copied = await navigator.clipboard?.writeText(what()).then(() => true, () => false);
        button.textContent = copied ? 'Copied' : 'The browser does not let it be copied';
        setTimeout(() => { button.textContent = name; }, 1500);
    });
}
copier($('#copy'), () => 'qkv ' + words().join(' '));
copier($('#link'), () => location.href);

text.get('text').value = Array.from({length: 100}, (_, i) => `${100 - i} green bottles hanging on the wall,\n`).join('');
form.addEventListener('input', remember);
addEventListener('hashchange', recall);
recall();
