// lessons.mjs FOLDER [PAGE ...] - every Run of every lesson prints what the page shows,
// to the digit, within a time; the blocks without one are listed, with the reason.

import {readdirSync} from 'node:fs';
import {open} from './browser.mjs';
import {end, expect} from './expect.mjs';

const LIMIT = 120; // seconds for one block
const [folder, ...asked] = process.argv.slice(2);
const pages = asked.length ? asked : readdirSync(folder).filter(f => /^(\d\d-.*|index)\.html$/.test(f));
const web = await open(folder);
let blocks = 0, without = [], slowest = [0, ''];
for (const name of pages) {
    const page = await web.page(name);
    const count = await page.run(`document.querySelectorAll('.run').length`);
    without.push(...await page.run(`[...document.querySelectorAll('pre.console')].map((p, i) =>
        p.dataset.not && '${name} block ' + (i + 1) + ': ' + p.dataset.not).filter(w => w)`));
    for (let i = 0; i < count; i++) {
        const block = `document.querySelectorAll('.run')[${i}]`, start = Date.now();
        await page.run(`${block}.querySelector('button').click()`);
        const ended = await page.until(`!${block}.classList.contains('works') && ${block}.querySelector('.good, .bad') !== null`, LIMIT);
        if (!ended) // the others would wait for it
            await page.run(`${block}.querySelector('button').click()`);
        const seconds = (Date.now() - start) / 1000;
        expect(`${name}, Run ${i + 1} ends within ${LIMIT} s`, ended);
        expect(`${name}, Run ${i + 1}`, !ended || (await page.run(`${block}.querySelector('[role=status]').textContent`)).replace(/, in .*/, ''),
            ended ? '✓ The same as above, to the digit' : true);
        if (seconds > slowest[0])
            slowest = [seconds, `${name}, Run ${i + 1}`];
        if (process.env.VERBOSE)
            console.log(`${name}\t${i + 1}\t${seconds.toFixed(1)}`);
        blocks++;
    }
    expect(`${name}: faults`, page.faults, []);
    await page.close();
}
await web.close();
console.log(`lessons: ${blocks} blocks ran, the slowest in ${slowest[0].toFixed(0)} s (${slowest[1]}); without Run:`);
console.log(without.map(w => '    ' + w).join('\n'));
end('lessons');
