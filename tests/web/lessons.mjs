// lessons.mjs FOLDER [PAGE ...] - every Run of every lesson prints what the page shows,
// to the digit, within a time; the blocks without one are listed, with the reason.

import {readdirSync} from 'node:fs';
import {end, expect, open} from './browser.mjs';

const LIMIT = 120; // seconds for one block
const [folder, ...asked] = process.argv.slice(2);
const pages = asked.length ? asked : readdirSync(folder).filter(f => /^(\d\d-.*|index)\.html$/.test(f));
const web = await open(folder), without = [];
for (const name of pages) {
    const page = await web.page(name);
    const count = await page.run(`document.querySelectorAll('.run').length`);
    without.push(...await page.run(`[...document.querySelectorAll('pre.console')].map((p, i) =>
        p.dataset.not && '    ${name} block ' + (i + 1) + ': ' + p.dataset.not).filter(w => w)`));
    for (let i = 0; i < count; i++) {
        const block = `document.querySelectorAll('.run')[${i}]`, press = block + `.querySelector('button').click()`;
        await page.run(press);
        const ended = await page.until(`!${block}.classList.contains('works') && ${block}.querySelector('.good, .bad') !== null`, LIMIT);
        if (!ended) // the others would wait for it
            await page.run(press);
        const status = await page.run(block + `.querySelector('[role=status]').textContent`);
        expect(`${name}, Run ${i + 1}, within ${LIMIT} s`, ended && status.replace(/, in .*/, ''), '✓ The same as above, to the digit');
    }
    expect(`${name}: faults`, page.faults, []);
    await page.close();
}
await web.close();
console.log(['lessons: without Run:', ...without].join('\n'));
end('lessons');
