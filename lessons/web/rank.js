// rank.js - rank growing: a pair of maps whose middle, d_k, is 1 to 6 wide. Each column adds
// one outer product to M = W^Q W^K', so 1 to its rank. plots/diagrams/rank-grows.awk draws
// the same matrices.

import {transpose, times} from './merge.js';

// Row i of the last M is ROWS[i]. Column j of W^K is the difference of two of these rows, and
// W^Q sums the first i of them; with fewer columns than rows, the last row repeats.
const ROWS = [[1, 0, 1, 1, 0, 0], [0, 1, 1, 0, 1, 0], [1, 1, 0, 0, 0, 1], [0, 0, 1, 0, 1, 1], [1, 0, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1]];
const WIDTH = ROWS.length;
const Q = ROWS.map((_, i) => ROWS.map((_, j) => j <= i ? 1 : 0));
const K = transpose(ROWS.map((row, i) => row.map((v, j) => i ? v - ROWS[i - 1][j] : v)));

const columns = (a, count) => a.map(row => row.slice(0, count));
const padded = (a, count) => a.map(row => row.map((v, j) => j < count ? v : null));

// The number of independent rows, by elimination.
export function rank(a) {
    const rows = a.map(row => [...row]);
    let found = 0;
    for (let j = 0; j < rows[0].length; j++) {
        const at = rows.findIndex((row, i) => i >= found && Math.abs(row[j]) > 1e-9);
        if (at < 0)
            continue;
        [rows[found], rows[at]] = [rows[at], rows[found]];
        for (let i = found + 1; i < rows.length; i++) {
            const share = rows[i][j] / rows[found][j];
            rows[i] = rows[i].map((v, k) => v - share * rows[found][k]);
        }
        found++;
    }
    return found;
}

export const growing = {id: 'rank', label: 'Columns, d_k:', from: 1, to: WIDTH, at(d_k) {
    const M = times(columns(Q, d_k), transpose(columns(K, d_k)));
    return {lanes: [{title: 'M as a product', parts: [{name: 'W^Q', rows: padded(Q, d_k)}, '·',
        {name: "W^K'", rows: transpose(padded(K, d_k))}, '=', {name: 'M', rows: M}]}],
        says: `d_k = ${d_k}: M has rank ${rank(M)} of ${WIDTH}. The pair stores ${2 * WIDTH * d_k} numbers, M has ${WIDTH ** 2}.`};
}};
