// playground.js - the playground page: two variants side by side on a task, with the
// verdict of `qkv compare`; and a text that a run trained here continues. The settings
// are in the address, so that a link keeps them.

import {element} from './matrix.js';
import {equation, typed} from './equation.js';
import {copier, worker} from './form.js';
import {usual} from './settings.js';
import {attention, runsIn} from './look.js';
import {told} from './verdict.js';

const $ = selector => document.querySelector(selector);
const DESK = 'playground';

// A form is read through FormData, and written through its controls by name: as properties
// of form.elements, names such as "length" would be those of the collection itself.
const controls = form => new Map([...form.querySelectorAll('[name]')].map(field => [field.name, field]));

// The words of the command that the form describes, without its empty fields.
const form = $('#compare form'), fields = controls(form);
function words() {
    const {a, b, t, ...others} = Object.fromEntries(new FormData(form));
    const asked = Object.entries(others).flatMap(([name, value]) => value ? ['--' + name, value] : []);
    const variants = [...new Set([a, b])], baseline = variants.includes('standard') ? [] : ['--baseline', a];
    return ['compare', '-v', variants.join(','), ...baseline, '-t', t, ...asked];
}

// Puts the form's settings into the address, which also keeps its equation; shows the command
// and, in each empty field, the usual value.
function remember() {
    const kept = new URLSearchParams([...new FormData(form)].filter(([name, value]) => value || fields.get(name).defaultValue));
    if (typed())
        kept.set('equation', typed());
    history.replaceState(null, '', '#' + kept);
    $('.changed').textContent = '$ qkv ' + words().join(' ');
    for (const field of form.querySelectorAll('input:not([name=seeds])'))
        field.placeholder = usual(fields.get('t').value, field.name) ?? '';
}

// Puts the settings of the address into the form: each once, if its field accepts the value.
function recall() {
    const left = new Map(fields), refused = [];
    form.reset();
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
        if (name === 'equation')
            continue;
        const field = left.get(name) ?? {}, before = field.value;
        field.value = value;
        if (field.validity?.valid && new FormData(form).get(name) === value)
            left.delete(name);
        else {
            refused.push(name + '=' + value);
            field.value = before;
        }
    }
    $('#more').open = [...$('#more').querySelectorAll('[name]')].some(field => field.value);
    const line = refused.join(', ');
    $('#compare [role=alert]').replaceChildren(line && element('span', {className: 'bad'},
        '✗ These settings of the link were ignored, as the page has no such field or value, or they came twice: ' +
        (line.length > 200 ? line.slice(0, 200) + ' …' : line)));
    remember();
}

worker($('#compare'), async (engine, run) => {
    for (const place of ['.verdict', '.table', '.attention'])
        $('#compare ' + place).replaceChildren();
    $('#download').hidden = true;
    for (const path of [...engine.files.keys()].filter(p => p.startsWith(DESK + '/')))
        engine.files.delete(path);
    const found = await run([...words(), '--no-figures', '--tsv', '-o', DESK]);
    told($('#compare'), found, fields.get('lr').value.includes(',') ? 'each at its best of three learning rates' :
        'at one learning rate: at another, the verdict may turn round');
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

copier($('#copy'), () => 'qkv ' + words().join(' '));
copier($('#link'), () => location.href);

text.get('text').value = Array.from({length: 100}, (_, i) => `${100 - i} green bottles hanging on the wall,\n`).join('');
form.addEventListener('input', remember);
equation($('#equation'));
addEventListener('hashchange', recall);
recall();
