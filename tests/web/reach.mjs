// reach.mjs FOLDER - the pages by the keyboard alone, on a phone and on a desk: Run, the
// contents, a figure enlarged, letters that are raised; and the figures that move, whose
// numbers are multiplied here again.

import {end, expect, open} from './browser.mjs';

const web = await open(process.argv[2]), CODES = {Tab: 9, Enter: 13, Escape: 27, ArrowRight: 39};
async function type(page, key) {
    const event = {key, code: key, windowsVirtualKeyCode: CODES[key], text: key === 'Enter' ? '\r' : undefined};
    await page.ask('Input.dispatchKeyEvent', {type: 'keyDown', ...event});
    await page.ask('Input.dispatchKeyEvent', {type: 'keyUp', ...event});
}
const it = selector => `document.querySelector('${selector}')`, focused = 'document.activeElement.textContent';
// Tab until that has the focus, within so many.
async function tabTo(page, words, within) {
    for (let n = 0; n < within && await page.run(focused) !== words; n++)
        await type(page, 'Tab');
    expect(`${words} by ${within} tabs`, await page.run(focused), words);
}
const VALUES = `Object.fromEntries([...document.querySelectorAll('.moves .named')].map(m => [m.firstChild.textContent,
    [...m.querySelectorAll('tr')].map(tr => [...tr.cells].map(td => +td.textContent.replace('−', '-')))]))`;
const times = (a, b) => a.map(row => b[0].map((_, j) => row.reduce((sum, v, k) => sum + v * b[k][j], 0)));
const transposed = a => a[0].map((_, j) => a.map(row => row[j]));
const near = (a, b) => a.every((row, i) => row.every((v, j) => Math.abs(v - b[i][j]) < 0.04));
const MOVES = {'index.html': m => near(times(m['WQ A'], transposed(m['WK A−T'])), m.M),
    '02-many-heads.html': m => near(times(m['Concat(head1, head2, head3)'], m.WO), m.output) && near(m.output, m.sum),
    '06-one-full-matrix.html': m => near(times(m.WQ, m["WK'"]), m.M) && new Set(m.M.map(String)).size === 2};

for (const width of [390, 1280]) {
    const page = await web.page('02-many-heads.html', {width}), seen = it('nav a[href^="03"]') + '.checkVisibility()';
    await tabTo(page, 'Skip to the first Run', 8);
    await type(page, 'Enter');
    await tabTo(page, 'Run', 1);
    await type(page, 'Enter');
    expect('Run runs', await page.until(it('.run .good') + ' !== null', 60));
    await tabTo(page, 'Enlarge', 40);
    await type(page, 'Enter');
    expect('enlarged', await page.run(`${it('dialog img')}.clientWidth > 1.2 * ${it('figure > img')}.clientWidth`));
    await type(page, 'Escape');
    expect('closed', await page.run(`${it('dialog')}.open || ${focused}`), 'Enlarge');
    expect('taps', await page.run(`['figure > img', 'dialog img'].map(s => (document.querySelector(s).click(), ${it('dialog')}.open))`), [true, false]);
    expect('raised', await page.run(`getComputedStyle(${it('.merge label sup')}.parentElement).display`), 'block');
    await page.run(`scrollTo(0, 4000), ${it('.bar button')}.focus()`);
    expect('the contents', await page.run(seen), width > 400);
    await type(page, 'Enter');
    expect('in reach', await page.run(`${seen} && ${it('.bar')}.getBoundingClientRect().top`), 0);
    for (const [lesson, right] of Object.entries(MOVES)) {
        const moving = await web.page(lesson, {width}), before = await moving.run(VALUES);
        await moving.run(it('.moves input') + '.focus()');
        await type(moving, 'ArrowRight');
        const after = await moving.run(VALUES);
        expect(`${lesson} moves`, [right(after), JSON.stringify(after) !== JSON.stringify(before), moving.faults], [true, true, []]);
    }
}
const calm = await web.page('06-one-full-matrix.html');
const moved = `${it('.moves')}.scrollIntoView(), new Promise(done => setTimeout(() => done(${it('.moves input')}.value > 1), 1500))`;
expect('it plays when it is seen', await calm.run(moved));
await calm.ask('Emulation.setEmulatedMedia', {features: [{name: 'prefers-reduced-motion', value: 'reduce'}]});
await calm.reload();
expect('but not if no motion is wanted', await calm.run(moved), false);
await web.close();
end('reach');
