// form.js - what the forms that run the program share: a button that runs and stops it,
// and one that copies.

import {element, symbols} from './matrix.js';
import {inTurn, loaded} from './one-engine.js';
import {Curves} from './curves.js';

// A message of the program, in the words of the page: without commands for a terminal, and with
// the symbols of settings.
export const plain = said => symbols(said.replace(/[:;,] [^:;]*--\w.*/, '').replace(/\bd-(model|k|v)\b/g, 'd_$1'));

// A form whose button calls work(engine, run, curves) and, while that runs, stops it. run(words)
// runs a command.
export function worker(section, work) {
    const part = selector => section.querySelector(selector), button = part('form button'), name = button.textContent;
    const says = part('[role=status]'), bar = part('progress');
    let running = false;
    part('form').addEventListener('submit', async event => {
        event.preventDefault();
        if (running) {
            running = false;
            return (await loaded()).stop();
        }
        running = true;
        button.textContent = 'Stop';
        bar.hidden = false;
        bar.removeAttribute('value');
        says.replaceChildren('Loading the program …');
        const curves = new Curves(part('.curves')), start = performance.now();
        // Returns a command's output. If it fails, the work ends with its message.
        const run = async (engine, words) => {
            let out = '', err = '';
            if (!running)
                throw new Error('stopped');
            says.replaceChildren('Running …');
            const {status, words: why} = await engine.run(words, {program: 'qkv',
                onOut: s => { out += s; },
                onErr: s => {
                    err += s;
                    const [, done, all] = s.match(/^(\d+)\/(\d+) /) || [];
                    if (all)
                        bar.value = done / all;
                },
                onLog: log => {
                    curves.add(log);
                    if (parseInt(log.line))
                        bar.value = (curves.runs.size - 1 + parseInt(log.line) / log.steps) / log.runs;
                }});
            if (status)
                throw new Error(running ? why || err.replace(/^qkv: /, '').trim() : 'stopped');
            return {out, err};
        };
        try {
            const engine = await loaded();
            await inTurn(() => work(engine, words => run(engine, words), curves));
            says.replaceChildren(`Done in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
        } catch (error) {
            says.replaceChildren(running ? element('span', {className: 'bad'}, '✗ ', plain(error.message)) : 'Stopped.');
        }
        running = false;
        bar.hidden = true;
        button.textContent = name;
    });
}

// A button that copies the text what() and says that it did.
export function copier(button, what) {
    const name = button.textContent;
    button.addEventListener('click', async () => {
        const copied = await navigator.clipboard?.writeText(what()).then(() => true, () => false);
        button.textContent = copied ? 'Copied' : 'The browser does not let it be copied';
        setTimeout(() => { button.textContent = name; }, 1500);
    });
}
