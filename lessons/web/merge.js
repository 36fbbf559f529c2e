// merge.js - the diagram of M and N, to be tried: a button multiplies W^Q W^K' and W^V W^O for
// the book's two tokens, and a menu puts something between them that forbids it. For every
// choice the output is computed in both ways; every number on the page comes from here.

import {element, symbols, matrix, digits} from './matrix.js';

export const X = [[1, 0, 1], [0, 2, 1]];
const PAIRS = {
    qk: {first: [[1, 0], [0, 1], [1, 0]], second: [[0, 1, 1], [1, 0, 1]]}, // W^Q, W^K'
    ov: {first: [[1, 0], [0, 1], [1, 1]], second: [[1, 0, 1], [0, 2, 0]]}, // W^V, W^O
};
const NAMES = {
    qk: {first: 'W^Q', second: "W^K'", product: 'M', middle: 'q and k', what: 'score'},
    ov: {first: 'W^V', second: 'W^O', product: 'N', middle: 'v', what: 'output'},
};

export const transpose = a => a[0].map((_, j) => a.map(row => row[j]));
export const times = (a, b) =>
    a.map(row => b[0].map((_, j) => row.reduce((sum, v, k) => sum + v * b[k][j], 0)));
export const softmax = a => a.map(row => {
    const e = row.map(Math.exp), sum = e.reduce((s, v) => s + v);
    return e.map(v => v / sum);
});
export const apart = (a, b) =>
    Math.max(...a.flatMap((row, i) => row.map((v, j) => Math.abs(v - b[i][j]))));
const turned = ([a, b], quarters) =>
    quarters ? turned([-b, a], quarters - 1) : [a, b]; // a row times R, so many times

// What may be between the two maps of a pair: a function of row i of q, k or v.
const BETWEEN = {
    nothing: {name: 'nothing', row: r => r},
    tanh: {name: 'a tanh', box: 'tanh', row: r => r.map(Math.tanh)},
    norm: {name: 'RMSNorm', box: 'RMSNorm', row: r => r.map(v => v / Math.hypot(...r) * Math.sqrt(r.length))},
    rotation: {name: 'a rotation (RoPE)', box: 'R(i − j)', row: turned},
    narrow: {name: 'a middle of width 1', row: r => r},
};

// The two maps; if their middle is narrow, the first column of one and the first row of the other.
function maps(pair, between) {
    const {first, second} = PAIRS[pair];
    return between === 'narrow' ? [first.map(r => r.slice(0, 1)), second.slice(0, 1)] : [first, second];
}

// The output by the four stored maps, one after another.
function scoresApart(x, y, between) {
    const [q, k] = maps('qk', between), {row} = BETWEEN[between];
    return times(times(x, q).map(row), transpose(times(y, transpose(k)).map(row)));
}
function valuesApart(y, between) {
    const [v, o] = maps('ov', between);
    return times(times(y, v).map(BETWEEN[between].row), o);
}
const merged = (pair, between) => times(...maps(pair, between));

// All that the diagram shows, for what is between the maps of QK and OV.
export function compute(qk, ov) {
    const M = merged('qk', qk), N = merged('ov', ov);
    const scores = scoresApart(X, X, qk), weights = softmax(scores);
    const scoresM = times(times(X, M), transpose(X)), weightsM = softmax(scoresM);
    const output = times(weights, valuesApart(X, ov));
    const outputMN = times(weightsM, times(X, N));
    return {M, N, scores, weights, output, scoresM, outputMN,
        merges: {qk: apart(scores, scoresM) < 1e-12, ov: apart(valuesApart(X, ov), times(X, N)) < 1e-12},
        differ: apart(output, outputMN)};
}

// A sentence that says, with numbers, why a pair is not one matrix, or what is lost.
function reason(pair, between) {
    const {first, second, product, middle, what} = NAMES[pair], token = X.slice(1);
    const twice = token.map(r => r.map(v => 2 * v));
    const at = t => pair === 'qk' ? scoresApart(t, token, between)[0][0] : valuesApart(t, between)[0][1];
    const pairName = `${first} and ${second.replace("'", '')}`;
    if (between === 'nothing')
        return `${pairName} have nothing between them, so they merge: ${product} = ${first} ${second} is ` +
            '3 × 3 and of rank 2, the width of the middle.';
    if (between === 'narrow')
        return `${pairName} with a middle of width 1 do merge, but ${product} is only of rank 1: every row ` +
            `is a multiple of one row, and ${product} (9 entries) is larger than the pair (6). What the second ` +
            `column did is lost: the output changes by up to ${digits(lost(pair), 2)} from that of width 2.`;
    if (between === 'rotation')
        return `${pairName} cannot merge: the rotation depends on the distance i − j of the two tokens, ` +
            `so there is another ${product} at each distance. Here R turns by a quarter for each token.`;
    return `${pairName} cannot merge: ${BETWEEN[between].name} is not linear. Twice token 2 would have ` +
        `twice the ${what} with any ${product}: ${digits(at(token), 2)} would become ` +
        `${digits(2 * at(token), 2)}. With ${BETWEEN[between].name} of ${middle} it becomes ${digits(at(twice), 2)}.`;
}

// What a middle of width 1 changes in the output.
function lost(pair) {
    const narrow = pair === 'qk' ? compute('narrow', 'nothing') : compute('nothing', 'narrow');
    return apart(narrow.output, compute('nothing', 'nothing').output);
}

// M(i - j) = W^Q R(i - j) W^K' for the distances that two tokens have.
function family() {
    const [q, k] = maps('qk');
    return [-1, 0, 1].map(t => matrix(`M(${digits(t)})`, times(q.map(r => turned(r, (4 + t) % 4)), k), {colour: 'qk'}));
}

const sign = text => element('span', {className: 'sign', ariaHidden: true}, text);

// A pair as boxes: two with something between them, or one.
function boxes(pair, between, together) {
    const {first, second, product} = NAMES[pair], colour = pair;
    if (together)
        return [matrix(product, merged(pair, between), {colour})];
    const [a, b] = maps(pair, between);
    const middle = between === 'nothing' || between === 'narrow' ? sign('·')
        : element('span', {className: 'between bend'}, BETWEEN[between].box);
    return [matrix(first, a, {colour}), middle, matrix(second, b, {colour})];
}

export function diagram(place) {
    let multiplied = false;
    const menu = (label, choices) => {
        const select = element('select', {}, ...choices.map(c => element('option', {value: c}, BETWEEN[c].name)));
        select.addEventListener('change', draw);
        return [element('label', {}, symbols(label), ' ', select), select];
    };
    const [qkLabel, qk] = menu("Between W^Q and W^K':", Object.keys(BETWEEN));
    const [ovLabel, ov] = menu('Between W^V and W^O:', Object.keys(BETWEEN).filter(b => b !== 'rotation'));
    const button = element('button', {type: 'button'});
    const lanes = element('div'), proof = element('div');
    const verdict = element('div', {className: 'verdict', role: 'status'});
    place.className = 'alive merge';
    place.append(element('p', {className: 'controls'}, qkLabel, ovLabel, button), lanes, proof, verdict);

    const lane = (title, ...parts) => element('div', {className: 'lane', role: 'group', ariaLabel: title}, ...parts);

    function draw() {
        const c = compute(qk.value, ov.value), x = matrix('x', X);
        const together = {qk: multiplied && c.merges.qk, ov: multiplied && c.merges.ov};
        lanes.replaceChildren(
            lane('Which token looks at which', matrix('x', X), sign('·'),
                ...boxes('qk', qk.value, together.qk), sign('·'), matrix("x'", transpose(X)), sign('='),
                matrix('scores', c.scores), sign('→ softmax →'), matrix('weights', c.weights, {colour: 'bend'})),
            lane('What is carried over', matrix('weights', c.weights, {colour: 'bend'}), sign('·'), x, sign('·'),
                ...boxes('ov', ov.value, together.ov), sign('='), matrix('output', c.output)));
        button.replaceChildren(multiplied ? 'Take apart' : 'Multiply');
        proof.replaceChildren();
        verdict.replaceChildren();
        if (!multiplied)
            return;
        const same = c.differ < 1e-12;
        proof.append(lane('Both outputs', matrix('one map after the other', c.output), sign(same ? '=' : '≠'),
            matrix('with M and N', c.outputMN)));
        if (qk.value === 'rotation')
            proof.append(lane('M at each distance', ...family()));
        verdict.append(element('p', {className: same ? 'good' : 'bad'}, same ? '✓ The output is the same.'
            : `✗ With M and N alone the output would differ by up to ${digits(c.differ, 2)}.`));
        for (const [pair, between] of [['qk', qk.value], ['ov', ov.value]])
            verdict.append(element('p', {}, symbols(reason(pair, between))));
    }

    button.addEventListener('click', async () => {
        multiplied = !multiplied;
        if (multiplied) { // the boxes close up, then they are one
            lanes.classList.add('closing');
            await Promise.allSettled(lanes.getAnimations({subtree: true}).map(a => a.finished));
            lanes.classList.remove('closing');
        }
        draw();
    });
    const asked = new URLSearchParams(location.search).getAll('between').join() || 'nothing';
    qk.value = asked;
    qk.value ||= 'nothing'; // a menu takes only what it has
    draw();
    if (qk.value !== asked)
        verdict.append(element('p', {className: 'bad'}, `✗ The link asks for “${asked.slice(0, 200)}”, which is not in the menu.`));
}

// Below the figures about merging: the same, to be tried.
const FIGURES = {merge: 'nothing', between: 'tanh', 'two-maps': 'nothing', 'refused-tanh': 'tanh', 'refused-norm': 'norm',
    'rope-family': 'rotation', 'narrow-middle': 'narrow'};
export function links() {
    for (const [name, between] of Object.entries(FIGURES)) {
        const caption = document.querySelector(`figure:has(img[src$="/${name}.svg"]) figcaption`);
        if (caption)
            caption.append(' ', element('a', {href: `02-many-heads.html?between=${between}#merge`},
                'Multiply them yourself.'));
    }
}
