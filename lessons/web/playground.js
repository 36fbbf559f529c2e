// playground.js - the playground page: two variants side by side on a task, with the
// verdict of `qkv compare`; and a text that a run trained here continues. The settings
// are in the address, so that a link keeps them.

import {element} from './matrix.js';
import {inTurn, listed, loaded} from './run.js';
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

// The command that the form asks for; what is left empty is as usual.
const form = $('#compare form');
function words() {
    const value = name => form.elements[name].value, asked = [];
    for (const name of ['heads', 'd-model', 'd-k', 'layers', 'length', 'positions', 'lr', 'steps'])
        if (value(name))
            asked.push('--' + name, value(name));
    return ['compare', '-v', [...new Set([value('a'), value('b')])].join(','), '-t', value('t'), '--seeds', value('seeds') || '1', ...asked];
}

function remember() {
    const kept = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, '', '#' + kept);
    $('.changed').textContent = '$ qkv ' + words().join(' ');
}

function recall() {
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
        const field = form.elements[name];
        if (field?.options && ![...field.options].some(o => o.value === value))
            continue; // a variant that there is not
        if (field)
            field.value = value;
    }
    remember();
}

// The task's own settings, where a field is empty.
async function usual() {
    const task = (await listed('--tasks')).find(row => row.task === form.elements.t.value);
    for (const field of form.querySelectorAll('input:not([name=seeds])'))
        field.placeholder = task.settings.match(new RegExp(`\\b${field.name}=(\\S+)`))?.[1] ?? '';
}

// What `qkv compare` says of the second variant, in a sentence.
function sentence([heads, ...rows]) {
    const row = rows.map(cells => Object.fromEntries(heads.map((h, i) => [h, cells[i]])));
    const [base, other] = [row.find(r => r.verdict === 'the baseline'), row.find(r => r.verdict !== 'the baseline')];
    if (!other)
        return `${base.variant} alone: test accuracy ${base.test_accuracy}, ${base.solved} solved.`;
    return `${other.variant} against ${base.variant}, by ${other.judged}: ${other.verdict}. ` +
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

const text = $('#text form').elements;
worker($('#text'), async (engine, run) => {
    const shown = $('#text pre');
    for (const path of [...engine.files.keys()].filter(p => p.startsWith('song/')))
        engine.files.delete(path);
    engine.files.set('song.txt', new TextEncoder().encode(text.text.value));
    await run(['train', '-v', text.v.value, '--file', 'song.txt', '--length', '64', '--layers', '2', '--positions', 'rope',
        '--lr', '0.01', '--steps', text.steps.value, '--seed', '1', '-o', 'song']);
    const {out} = await run(['generate', ...runsIn([...engine.files.keys()]).filter(r =>
        r.startsWith('song/')), '--prompt', text.prompt.value, '--tokens', text.tokens.value, '--greedy', '-q']);
    shown.textContent = out;
    shown.hidden = false;
});

function copier(button, what) {
    const name = button.textContent;
    button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(what()).catch(() => {});
        button.textContent = 'Copied';
        setTimeout(() => { button.textContent = name; }, 1500);
    });
}
copier($('#copy'), () => 'qkv ' + words().join(' '));
copier($('#link'), () => location.href);

text.text.value = Array.from({length: 100}, (_, i) => `${100 - i} green bottles hanging on the wall,\n`).join('');
form.addEventListener('input', () => { remember(); usual(); });
addEventListener('hashchange', recall);
try {
    const fill = (menu, rows, value) => {
        menu.append(...rows.map(name => element('option', {}, name)));
        menu.value = value;
    };
    const variants = (await listed('--variants')).map(row => row.variant), tasks = (await listed('--tasks')).map(row => row.task);
    fill(form.elements.a, variants, 'standard');
    fill(form.elements.b, variants, 'two-step');
    fill(form.elements.t, tasks.filter(t => !/^(text|pairs)$/.test(t)), 'recall');
    fill(text.v, variants, 'standard');
    recall();
    await usual();
} catch (error) {
    $('#compare [role=status]').replaceChildren(element('span', {className: 'bad'}, '✗ ' + error.message));
}
