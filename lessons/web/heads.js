// heads.js - a layer as a sum over its heads: Concat times W^O, and beside it the sum of what
// each head computes with its M and N, for one, two and three heads.
// plots/diagrams/heads-sum.awk draws the same matrices.

import {X, transpose, times, softmax, apart} from './merge.js';

const HEADS = [
    {Q: [[1, 0], [0, 1], [1, 0]], K: [[0, 1], [1, 0], [1, 1]], V: [[1, 0], [0, 1], [1, 1]], O: [[1, 0, 1], [0, 2, 0]]},
    {Q: [[0, 1], [1, 0], [0, 0]], K: [[1, 0], [0, 1], [0, 1]], V: [[0, 1], [1, 0], [0, 1]], O: [[0, 1, 0], [1, 0, -1]]},
    {Q: [[1, 1], [0, 1], [0, 0]], K: [[0, 0], [1, 0], [0, 1]], V: [[1, 0], [1, 1], [0, 0]], O: [[1, 0, 1], [0, -1, 0]]},
];
const zeros = X.map(() => [0, 0, 0]);
const plus = (a, b) => a.map((row, i) => row.map((v, j) => v + b[i][j]));
const beside = blocks => X.map((_, i) => blocks.flatMap(block => block[i]));
const absent = a => a.map(row => row.map(() => null));

// A head as it is stored: q, k and v first, then its rows of W^O.
const values = ({Q, K, V}) => times(softmax(times(times(X, Q), transpose(times(X, K)))), times(X, V));
// The same head by its two products, M and N.
function given({Q, K, V, O}) {
    const M = times(Q, transpose(K)), N = times(V, O);
    return times(softmax(times(times(X, M), transpose(X))), times(X, N));
}

export const heads = {id: 'heads', label: 'Heads:', from: 1, to: HEADS.length, at(count) {
    const there = HEADS.slice(0, count), shown = (i, a) => i < count ? a : absent(a);
    const concatenated = times(beside(there.map(values)), there.flatMap(head => head.O));
    const sum = there.map(given).reduce(plus, zeros);
    const terms = HEADS.flatMap((head, i) => [i ? '+' : '', {name: `P_${i + 1} x N_${i + 1}`, rows: shown(i, given(head))}]).slice(1);
    return {lanes: [
        {title: 'Concatenated, times W^O', parts: [{name: 'Concat(head_1, head_2, head_3)', rows: beside(HEADS.map((head, i) => shown(i, values(head))))},
            '·', {name: 'W^O', rows: HEADS.flatMap((head, i) => shown(i, head.O))}, '=', {name: 'output', rows: concatenated}]},
        {title: 'The sum of the heads', parts: [...terms, '=', {name: 'sum', rows: sum}]}],
        says: `${count} of ${HEADS.length} heads: the output is the sum, to within ${apart(concatenated, sum).toPrecision(1)}.`};
}};
