// curves.js - curves of runs, drawn while they train: the lines of their log.tsv, loss
// on a log axis and accuracy, in the colours of plots/style.gp; the last values as a
// table.

import {element} from './matrix.js';

const COLOURS = ['var(--ink)', '#d55e00', '#0072b2', '#009e73', '#e69f00', '#56b4e9', '#cc79a7', '#8c7f00'];
const DASHES = ['', '7 3', '2 2', '9 3 2 3', '12 4', '4 4', '1 3', '6 2 1 2'];
const WIDTH = 320, HEIGHT = 190, LEFT = 44, BOTTOM = 24, TOP = 8;

export function svg(tag, attributes = {}, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes))
        made.setAttribute(name, value);
    made.append(...children);
    return made;
}

// A short name for each run: the parts of its name that not all names have.
function labels(names) {
    const parts = names.map(name => name.split('.').slice(0, -1));
    const common = parts[0].filter(part => parts.every(p => p.includes(part)));
    return parts.map(p => names.length > 1 ? p.filter(part => !common.includes(part)).join(' ') || p[1] : p.slice(0, 2).join(' '));
}

// Round numbers between two values, about four of them; on a log axis powers of ten.
function ticks(low, high, log) {
    if (log) {
        const powers = [], from = Math.ceil(Math.log10(low)), to = Math.log10(high);
        for (let p = from; p <= to; p += Math.ceil((to - from) / 6) || 1)
            powers.push(10 ** p);
        if (powers.length)
            return powers;
    }
    const rough = (high - low) / 4, unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find(s => s * unit >= rough), all = [];
    for (let v = Math.ceil(low / step) * step; v <= high * 1.0001; v += step)
        all.push(+v.toPrecision(6));
    return all;
}

export class Curves {
    constructor(place) {
        this.runs = new Map(); // of a run's name: {columns, rows}
        this.place = place;
        place.classList.add('curves');
        place.replaceChildren();
    }

    add({path, line}) {
        const name = path.split('/').at(-2), cells = line.split('\t');
        const run = this.runs.get(name) || {columns: [], rows: []};
        this.runs.set(name, run);
        if (cells[0] === 'step') {
            run.columns = cells;
            run.rows = [];
        } else
            run.rows.push(cells.map(Number));
        this.waiting ??= setTimeout(() => { this.waiting = null; this.draw(); }, 120);
    }

    // Shows only the runs whose names match, if any do.
    keep(which) {
        const left = [...this.runs].filter(([name]) => which(name));
        if (left.length)
            this.runs = new Map(left);
        this.draw();
    }

    draw() {
        const names = [...this.runs.keys()], all = labels(names);
        const kinds = [...new Set(names.map(name => name.split('.')[1]))];
        const style = (name, i) => kinds.length > 1 ? kinds.indexOf(name.split('.')[1]) : i;
        this.series = names.map((name, i) => ({...this.runs.get(name), label: all[i], style: style(name, i) % COLOURS.length}));
        const first = this.series.filter((s, i) => this.series.findIndex(t => t.style === s.style) === i);
        const legend = element('ul', {className: 'legend'}, ...first.map(s => element('li', {}, svg('svg',
            {width: 26, height: 8, 'aria-hidden': true}, this.line(s, 'M0,4H26')), ' ' + (kinds.length > 1 ? kinds[s.style] : s.label))));
        this.place.replaceChildren(element('div', {className: 'lane'},
            this.chart('loss', 'loss', true), this.chart('accuracy', 'accuracy', false)), legend, this.table());
    }

    line(series, d) {
        return svg('path', {d, fill: 'none', 'stroke-width': 1.8, 'stroke-dasharray': DASHES[series.style],
            style: 'stroke:' + COLOURS[series.style]});
    }

    // One quantity by step, measured on validation data if the log has that.
    chart(title, column, log) {
        const points = this.series.map(s => {
            const at = Math.max(s.columns.indexOf('validation_' + column), s.columns.indexOf(column));
            return s.rows.map(r => [r[0], r[at]]).filter(([, v]) => Number.isFinite(v) && (!log || v > 0));
        });
        const values = points.flat().map(p => p[1]);
        if (!values.length)
            return '';
        let low = log ? Math.min(...values) : Math.min(0, ...values), high = log ? Math.max(...values) : Math.max(1, ...values);
        if (low === high)
            high = low * 2;
        const end = Math.max(...points.flat().map(p => p[0]), 1);
        const scale = v => log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
        const x = step => LEFT + step / end * (WIDTH - LEFT - 12), y = v => HEIGHT - BOTTOM - scale(v) * (HEIGHT - BOTTOM - TOP);
        const said = this.series.map((s, i) => `${s.label}: ${points[i].at(-1)?.[1] ?? 'nothing yet'}`).join('; ');
        const made = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, role: 'img',
            'aria-label': `${title} against steps, at step ${end}. ${said}`});
        for (const v of ticks(low, high, log).filter(v => v >= low && v <= high))
            made.append(svg('path', {d: `M${LEFT},${y(v)}H${WIDTH - 12}`, class: 'rule'}),
                svg('text', {x: LEFT - 5, y: y(v) + 4, 'text-anchor': 'end'}, v < 0.001 && v > 0 ? v.toExponential(0) : String(+v.toPrecision(2))));
        for (const v of ticks(0, end, false))
            made.append(svg('text', {x: x(v), y: HEIGHT - 8, 'text-anchor': 'middle'}, String(v)));
        this.series.forEach((s, i) => points[i].length &&
            made.append(this.line(s, 'M' + points[i].map(([step, v]) => `${x(step).toFixed(1)},${y(v).toFixed(1)}`).join('L'))));
        return element('figure', {}, element('figcaption', {}, title + ', by step'), made);
    }

    table() {
        const columns = ['step', 'loss', 'accuracy', 'validation_loss', 'validation_accuracy'];
        return element('details', {}, element('summary', {}, 'The last line of each log'), element('table', {},
            element('tr', {}, ...['run', ...columns].map(c => element('th', {scope: 'col'}, c.replace('_', ' ')))),
            ...this.series.map(s => element('tr', {}, element('th', {scope: 'row'}, s.label), ...columns.map(c =>
                element('td', {}, String(s.rows.at(-1)?.[s.columns.indexOf(c)] ?? '')))))));
    }
}
