// gauge.js - the gauge under a slider: it moves A and B along a path of invertible
// matrices, and the four stored matrices change with them; M, N and the output do not.
// plots/diagrams/gauge-frames.awk draws six points of the same path.

import {element, symbols, digits} from './matrix.js';
import {transpose, times, softmax} from './merge.js';

const X = [[1, 0, 1], [0, 2, 1]];
const W = {Q: [[1, 0], [0, 1], [1, 0]], K: [[0, 1], [1, 0], [1, 1]],
    V: [[1, 0], [0, 1], [1, 1]], O: [[1, 0, 1], [0, 2, 0]]};

// A turns once around and stretches, B stretches and shears; at 0 both are the identity.
export function along(t) {
    const turn = 2 * Math.PI * t, stretch = Math.exp(0.6 * Math.sin(turn));
    return {A: [[Math.cos(turn) * stretch, -Math.sin(turn) / stretch],
                [Math.sin(turn) * stretch, Math.cos(turn) / stretch]],
            B: [[1 / stretch, 1 - Math.cos(turn)], [0, stretch]]};
}
function inverse([[a, b], [c, d]]) {
    const det = a * d - b * c;
    return [[d / det, -b / det], [-c / det, a / det]];
}

// What is stored at t, and what the head uses of it.
export function at(t) {
    const {A, B} = along(t);
    const q = times(W.Q, A), k = times(W.K, transpose(inverse(A)));
    const v = times(W.V, B), o = times(inverse(B), W.O);
    const M = times(q, transpose(k)), N = times(v, o);
    const output = times(softmax(times(times(X, q), transpose(times(X, k)))), times(times(X, v), o));
    return {stored: {'W^Q A': q, 'W^K A^-T': k, 'W^V B': v, 'B^-1 W^O': o}, used: {M, N, output}};
}

const change = (a, b) => Math.max(...a.flatMap((row, i) => row.map((v, j) => Math.abs(v - b[i][j]))));

// A matrix as cells whose colour and digits are set anew by each move of the slider.
function heat(name, rows) {
    const cells = rows.map(row => row.map(() => element('td')));
    const table = element('table', {className: 'heat gauge', ariaLabel: `${name}, ${rows.length} × ${rows[0].length}`},
        ...cells.map(row => element('tr', {}, ...row)));
    const show = now => now.forEach((row, i) => row.forEach((v, j) => {
        cells[i][j].textContent = digits(v, 2);
        cells[i][j].className = v < 0 ? 'below' : 'above';
        cells[i][j].style.setProperty('--share', Math.round(Math.min(50 * Math.abs(v), 100)) + '%');
    }));
    return {show, place: element('div', {className: 'named'}, element('span', {}, symbols(name)), table)};
}

export function slider(place) {
    const first = at(0), heats = {};
    const lane = (title, matrices) => element('div', {className: 'lane', role: 'group', ariaLabel: title},
        ...Object.entries(matrices).map(([name, rows]) => (heats[name] = heat(name, rows)).place));
    const range = element('input', {type: 'range', min: 0, max: 60, value: 0});
    const label = element('label', {}, 'Move A and B: ', range);
    const says = element('p', {className: 'says', role: 'status'});
    place.className = 'alive';
    place.append(element('p', {className: 'controls'}, label), lane('What is stored', first.stored),
        lane('What is used', first.used), says);

    function draw() {
        const now = at(range.value / range.max), all = {...now.stored, ...now.used}, from = {...first.stored, ...first.used};
        for (const [name, rows] of Object.entries(all))
            heats[name].show(rows);
        const most = names => Math.max(...Object.keys(names).map(n => change(all[n], from[n])));
        range.setAttribute('aria-valuetext', `step ${range.value} of ${range.max}`);
        says.textContent = `Changed by at most: the stored matrices ${digits(most(now.stored), 2)}, ` +
            `M, N and the output ${most(now.used).toExponential(0)}.`;
    }
    range.addEventListener('input', draw);
    draw();
}
