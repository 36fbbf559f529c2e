// look.js - coloured matrices whose entries one can point at or visit with the arrow keys: those
// that `qkv trace` printed, and the attention maps of the runs that a block has trained.

import {element, symbols} from './matrix.js';
import {inTurn} from './one-engine.js';

// The matrices in a trace: "NAME (2 x 4)", perhaps a line of columns, and the rows.
export function matricesIn(text) {
    const found = [];
    for (const part of text.split(/\n\s*\n/)) {
        const lines = part.split('\n').filter(line => line.trim());
        const at = lines.findIndex(line => /\(\d+ x \d+\)$/.test(line));
        if (at < 0)
            continue;
        const [, name, r, c] = lines[at].match(/^(.*?)\s*\((\d+) x (\d+)\)$/), rest = lines.slice(at + 1);
        const words = rest.map(line => line.trim().split(/\s+/));
        const heads = rest.length === +r + 1 ? words.shift() : [];
        const rows = words.slice(0, r).map(w => ({name: w.slice(0, w.length - c).join(' '), values: w.slice(-c).map(Number)}));
        if (rows.length === +r && rows.every(row => row.values.length === +c && row.values.every(Number.isFinite)))
            found.push({name, heads, rows});
    }
    return found;
}

// The maps in the table of `qkv inspect --attention --tsv`, one for each head.
export function mapsIn(tsv) {
    const maps = new Map();
    for (const line of tsv.trim().split('\n').slice(1)) {
        const [head, row, column, query, key, weight] = line.split('\t');
        const map = maps.get(head) || {name: head, heads: [], rows: []};
        maps.set(head, map);
        map.heads[column] = key;
        (map.rows[row] ??= {name: query, values: []}).values[column] = Number(weight);
    }
    return [...maps.values()];
}

// A matrix as a grid. The Tab key reaches one of its cells, and the arrow keys move to others.
export function heat({name, heads, rows}) {
    const most = Math.max(...rows.flatMap(row => row.values.map(Math.abs))) || 1;
    const small = rows[0].values.length <= 8, says = element('p', {className: 'says', role: 'status'});
    const shape = rows.length + ' × ' + rows[0].values.length;
    const table = element('table', {className: small ? 'heat' : 'heat tight', role: 'grid', ariaLabel: `${name}, ${shape}`});
    if (heads.length)
        table.append(element('tr', {}, element('td'), ...heads.map(h => element('th', {scope: 'col'}, h))));
    const where = (label, i) => label ? `${label} (${i + 1})` : String(i + 1);
    rows.forEach((row, i) => {
        const tr = element('tr', {}, element('th', {scope: 'row'}, row.name));
        row.values.forEach((value, j) => {
            const words = `row ${where(row.name, i)}, column ${where(heads[j], j)}: ${value}`;
            const cell = element('td', {tabIndex: i || j ? -1 : 0, role: 'gridcell', ariaLabel: words}, small ? String(+value.toFixed(3)) : '');
            cell.style.setProperty('--share', Math.round(100 * Math.abs(value) / most) + '%');
            cell.className = value < 0 ? 'below' : 'above';
            const show = () => { says.textContent = words; };
            cell.addEventListener('mouseenter', show);
            cell.addEventListener('click', () => cell.focus());
            cell.addEventListener('focus', show);
            tr.append(cell);
        });
        table.append(tr);
    });
    table.addEventListener('keydown', event => {
        const [down, right] = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key] || [];
        const row = event.target.parentElement, cells = tr => [...tr.querySelectorAll('[role=gridcell]')];
        if (down === undefined)
            return;
        const all = [...table.rows].filter(tr => cells(tr).length);
        const to = cells(all[all.indexOf(row) + down] || row)[cells(row).indexOf(event.target) + right];
        event.preventDefault();
        if (!to)
            return;
        event.target.tabIndex = -1;
        to.tabIndex = 0;
        to.focus();
    });
    return element('figure', {className: 'looked'}, element('figcaption', {}, symbols(name), element('small', {}, ' ' + shape)),
        element('div', {className: 'scrolls'}, table), says);
}

// The runs with weights among the files, by folder.
export const runsIn = paths => [...new Set(paths.map(p => p.match(/^(.*\.[0-9a-f]{8})\/weights\//)?.[1]).filter(r => r))];

// A button, a menu if there are several runs, and the maps of the chosen run.
export function attention(engine, runs, place) {
    const menu = element('select', {ariaLabel: 'Run'}, ...runs.map(run => element('option', {value: run},
        run.split('/').at(-1).replace(/\.[0-9a-f]{8}$/, ''))));
    const button = element('button', {type: 'button', className: 'quiet'}, 'Attention maps'), maps = element('div', {className: 'lane'});
    const show = async () => {
        let tsv = '', said = '';
        button.disabled = true;
        const {status} = await inTurn(() => engine.run(['inspect', menu.value, '--attention', '--tsv', '-q'],
            {program: 'qkv', onOut: s => { tsv += s; }, onErr: s => { said += s; }}));
        button.disabled = false;
        maps.replaceChildren(...status ? [said] : mapsIn(tsv).map(heat));
    };
    button.addEventListener('click', show);
    menu.addEventListener('change', show);
    place.append(element('p', {className: 'controls'}, button, runs.length > 1 ? menu : ''), maps);
}

export function looks(block, engine) {
    if (block.commands.some(c => /qkv trace/.test(c.line)))
        block.looked.append(element('div', {className: 'lane'}, ...matricesIn(block.output.textContent).map(heat)));
    const runs = runsIn(block.made);
    if (runs.length)
        attention(engine, runs, block.looked);
}
