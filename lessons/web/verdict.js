// verdict.js - shows the result of `qkv compare --tsv`: a sentence and a table.

import {element} from './matrix.js';
import {plain} from './form.js';

const table = tsv => tsv.trim().split('\n').map(line => line.split('\t'));

// The verdict on the second variant, as a sentence; `rate` says at which learning rates.
function sentence(rows, rate) {
    const [base, other] = [rows.find(r => r.verdict === 'baseline'), rows.find(r => r.verdict !== 'baseline')];
    if (!other)
        return `${base.variant} alone: test accuracy ${base.test_accuracy}, ${base.solved} solved.`;
    return `${other.variant} against ${base.variant}, by ${other.judged.replace('_', ' ')}: ${other.verdict}, difference ${other.difference}, ${rate}. ` +
        `(Test accuracy ${other.test_accuracy} against ${base.test_accuracy}, ${other.solved} and ${base.solved} solved.)`;
}

function show(rows, place) {
    const shown = ['variant', 'parameters', 'solved', 'median_steps', 'test_accuracy', 'test_loss', 'verdict'];
    const at = shown.map(name => rows[0].indexOf(name));
    place.replaceChildren(element('table', {}, ...rows.map((row, i) => element('tr', {}, ...at.map(j =>
        element(i ? 'td' : 'th', i ? {} : {scope: 'col'}, row[j].replace(/_/g, i ? '_' : ' ')))))));
}

// Shows in a section the verdict of a command that printed {out, err}, and its notes. Returns
// the table, as an object for each row.
export function told(section, {out, err}, rate) {
    const rows = table(out), [heads, ...others] = rows;
    const named = others.map(cells => Object.fromEntries(heads.map((head, i) => [head, cells[i]])));
    section.querySelector('.verdict').replaceChildren(element('p', {}, element('b', {}, sentence(named, rate))),
        ...err.split('\n').filter(line => line.startsWith('qkv: ')).map(line => element('p', {}, plain(line.slice(5)))));
    show(rows, section.querySelector('.table'));
    return named;
}
