// motion.js - figures that move. A slider, or the arrow keys, choose a step, and Play goes
// through all of them in three seconds. A figure plays once when it is first seen, unless the
// reader wants no motion. It replaces a still picture, which is printed on paper.

import {element, symbols, digits} from './matrix.js';

const SECONDS = 3;

// A matrix whose cells are filled anew at each step; null is an entry that is not there yet.
function cells({name, rows}) {
    const all = rows.map(row => row.map(() => element('td'))), whole = rows.flat().every(Number.isInteger);
    const table = element('table', {className: whole ? 'heat units' : 'heat', ariaLabel: `${name}, ${rows.length} × ${rows[0].length}`},
        ...all.map(row => element('tr', {}, ...row)));
    const fill = now => now.forEach((row, i) => row.forEach((value, j) => {
        all[i][j].textContent = value === null ? '' : digits(value, whole ? 0 : 2);
        all[i][j].className = value === null ? '' : value < 0 ? 'below' : 'above';
        all[i][j].style.setProperty('--share', Math.round(Math.min(50 * Math.abs(value), 100)) + '%');
    }));
    return {fill, shown: element('div', {className: 'named'}, element('span', {}, symbols(name)), table)};
}

// A row of matrices, with strings as the signs between them.
function lane({title, parts}) {
    const made = parts.map(part => typeof part === 'string'
        ? {fill() {}, shown: element('span', {className: 'sign', ariaHidden: true}, part)} : cells(part));
    return {fill: now => made.forEach((m, i) => m.fill(now.parts[i].rows)),
        shown: element('div', {className: 'lane', role: 'group', ariaLabel: title}, ...made.map(m => m.shown))};
}

// The slider, its button and the lanes instead of the picture. at(step) is what is seen at
// a step: {lanes: [{title, parts}], says}.
export function motion(picture, {id, label, from, to, at}) {
    const lanes = at(to).lanes.map(lane), says = element('p', {className: 'says'});
    const range = element('input', {type: 'range', min: from, max: to, value: from});
    const play = element('button', {type: 'button', className: 'quiet'}, 'Play');
    const place = element('div', {id, className: 'alive moves'}, element('p', {className: 'controls'},
        element('label', {}, symbols(label), ' ', range), play), ...lanes.map(l => l.shown), says);
    let playing;

    function show() {
        const now = at(+range.value);
        lanes.forEach((l, i) => l.fill(now.lanes[i]));
        says.replaceChildren(symbols(now.says));
        range.setAttribute('aria-valuetext', now.says);
    }
    function go(step) {
        range.value = step;
        show();
        if (step < to)
            playing = setTimeout(go, 1000 * SECONDS / (to - from), step + 1);
    }
    const stop = () => clearTimeout(playing);
    const start = () => {
        stop();
        go(from);
    };
    range.addEventListener('input', () => {
        stop();
        show();
    });
    play.addEventListener('click', start);
    picture.after(place);
    show();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches)
        return play.remove();
    const seen = new IntersectionObserver(([entry]) => {
        if (!entry.isIntersecting)
            return;
        seen.disconnect();
        start();
    }, {threshold: 0.6});
    seen.observe(place);
    range.addEventListener('focus', () => seen.disconnect());
}
