// gauge.js - the gauge turning: A and B move along a path of invertible matrices, and the
// four stored matrices change with them; M, N and the output do not.
// plots/diagrams/gauge-frames.awk draws six points of the same path.

import {digits} from './matrix.js';
import {X, transpose, times, softmax, apart} from './merge.js';

const STEPS = 60;
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

// The four matrices that are stored at time t, and the two products that the head uses.
export function stored(t) {
    const {A, B} = along(t);
    const q = times(W.Q, A), k = times(W.K, transpose(inverse(A)));
    const v = times(W.V, B), o = times(inverse(B), W.O);
    const M = times(q, transpose(k)), N = times(v, o);
    const output = times(softmax(times(times(X, q), transpose(times(X, k)))), times(times(X, v), o));
    return {stored: {'W^Q A': q, 'W^K A^-T': k, 'W^V B': v, 'B^-1 W^O': o}, used: {M, N, output}};
}

const first = stored(0);
const lane = (title, matrices) => ({title, parts: Object.entries(matrices).map(([name, rows]) => ({name, rows}))});
const change = (now, before) => Math.max(...Object.keys(now).map(name => apart(now[name], before[name])));

export const gauge = {id: 'gauge', label: 'Turn A and B:', from: 0, to: STEPS, at(step) {
    const now = stored(step / STEPS);
    return {lanes: [lane('What is stored', now.stored), lane('What is used', now.used)],
        says: `Changed by at most: the stored matrices ${digits(change(now.stored, first.stored), 2)}, ` +
            `M, N and the output ${change(now.used, first.used).toExponential(0)}.`};
}};
