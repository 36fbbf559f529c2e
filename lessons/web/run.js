// run.js - the button Run beneath a console block: the engine runs the block's commands, and
// the page says whether they print what it shows, to the digit. The blocks of a page share
// one directory, as in lessons/check.sh, and run one after another.

import {element} from './matrix.js';
import {Shell} from './shell.js';
import {Curves} from './curves.js';
import {inTurn, loaded} from './one-engine.js';
import {looks} from './look.js';
import {settings} from './settings.js';

// A text whose lines with tabs become aligned columns, as in the book.
export function columns(text) {
    return text.replace(/(?:^.*\t.*(?:\n|$))+/gm, table => {
        const rows = table.replace(/\n$/, '').split('\n').map(line => line.split('\t')), wide = [];
        for (const row of rows)
            row.forEach((cell, i) => { wide[i] = Math.max(wide[i] ?? 0, cell.length); });
        return rows.map(row => row.map((cell, i) => i + 1 < row.length ? cell.padEnd(wide[i] + 2) : cell).join('') + '\n').join('');
    });
}

// The number of the first shown line, from 1, that was not printed so; 0 if there is none. A
// line "..." stands for any lines, and the width of the space between words may differ.
export function different(shown, printed) {
    const words = line => line.trim().split(/\s+/).join(' ');
    const got = printed.replace(/\n$/, '').split('\n').slice(0, printed ? undefined : 0).map(words);
    let from = 0, skip = false;
    for (const [i, line] of shown.map(words).entries()) {
        if (line === '...') {
            skip = true;
            continue;
        }
        while (skip && from < got.length && got[from] !== line)
            from++;
        if (got[from++] !== line)
            return i + 1;
        skip = false;
    }
    return skip || from >= got.length ? 0 : shown.length + 1;
}

// The commands of a block, [{line, shown}]; `shown` has the lines that the block shows below it.
function commands(pre) {
    const all = [];
    for (const line of pre.textContent.replace(/\n$/, '').split('\n'))
        if (line.startsWith('$ '))
            all.push({line: line.slice(2), shown: []});
        else if (line.startsWith('> ') && all.length && !all.at(-1).shown.length)
            all.at(-1).line += '\n' + line.slice(2);
        else
            all.at(-1)?.shown.push(line);
    return all;
}

class Block {
    constructor(pre) {
        this.commands = commands(pre);
        this.made = [];
        this.button = element('button', {type: 'button'}, 'Run');
        this.bar = element('progress', {hidden: true, ariaLabel: 'Progress'});
        this.says = element('span', {role: 'status'});
        this.output = element('pre', {hidden: true, tabIndex: 0, role: 'region', ariaLabel: 'What it prints here'});
        this.drawn = element('div');
        this.looked = element('div');
        this.place = element('div', {className: 'alive run'}, element('p', {className: 'controls'},
            this.button, this.bar, this.says), this.output, this.drawn, this.looked);
        this.settings = settings(this);
        if (this.settings)
            this.button.after(this.settings.opener);
        if (this.settings)
            this.place.querySelector('p').after(this.settings.place);
        this.button.addEventListener('click', () => this.running ? this.stop() : this.start());
        (pre.closest('.copied') || pre).after(this.place);
    }

    start() {
        this.running = true;
        this.button.textContent = 'Stop';
        this.says.replaceChildren('Waiting for the block that is running …');
        return inTurn(() => this.running && this.work());
    }

    async stop() {
        this.running = false;
        this.button.textContent = 'Run';
        this.says.replaceChildren('Stopped.');
        if (this.works)
            (await loaded()).stop();
    }

    async work() {
        this.running = this.works = true;
        this.button.textContent = 'Stop';
        this.bar.hidden = false;
        this.bar.removeAttribute('value');
        this.place.classList.add('works');
        try {
            for (const earlier of this.needs.filter(b => !b.done)) {
                this.says.replaceChildren('Running the block above first, whose files this one reads …');
                await earlier.work();
                if (!earlier.done || !this.running)
                    throw new Error('the block above, whose files this one reads, did not finish');
            }
            this.says.replaceChildren('Loading the program …');
            const engine = await loaded();
            if (this.running)
                await this.runCommands(engine);
        } catch (error) {
            this.says.replaceChildren(this.running ? element('span', {className: 'bad'}, '✗ ' + error.message) : 'Stopped.');
        }
        this.running = this.works = false;
        this.bar.hidden = true;
        this.button.textContent = this.done ? 'Run again' : 'Run';
        this.place.classList.remove('works');
    }

    // Runs all commands, and compares what they print with what the block shows.
    async runCommands(engine) {
        const changed = this.settings?.changed();
        this.done = false;
        this.made.forEach(path => engine.files.delete(path));
        const there = new Set(engine.files.keys()), start = performance.now();
        const curves = new Curves(this.drawn);
        let text = '', faults = [], logs;
        const shell = new Shell(engine, {
            onText: s => {
                text += s;
                this.output.lastChild.textContent = columns(text);
                const [, done, all] = s.match(/^(\d+)\/(\d+) /) || [];
                if (all)
                    this.bar.value = done / all;
            },
            onLog: log => {
                curves.add(log);
                const step = parseInt(log.line);
                logs.add(log.path);
                if (step)
                    this.bar.value = (logs.size - 1 + step / log.steps) / log.runs;
            },
        });
        this.output.replaceChildren();
        this.looked.replaceChildren();
        this.output.hidden = false;
        this.says.replaceChildren('Running …');
        try {
            for (const command of this.commands) {
                const line = changed ? changed(command.line) : command.line;
                text = '';
                logs = new Set();
                this.bar.removeAttribute('value');
                this.output.append(element('kbd', {}, '$ ' + line.replace(/\n/g, '\n> ') + '\n'), element('span'));
                await shell.run(line);
                const at = changed ? 0 : different(command.shown, text);
                if (at)
                    faults.push(at > command.shown.length ? 'it prints more than the page shows'
                        : `the page shows “${command.shown[at - 1].trim()}”`);
            }
        } finally {
            this.made = [...engine.files.keys()].filter(path => !there.has(path));
            if (!this.running) // a run that was stopped leaves nothing half made
                this.made.forEach(path => engine.files.delete(path));
        }
        const seconds = `${((performance.now() - start) / 1000).toFixed(1)} s`;
        this.done = true;
        this.says.replaceChildren(changed ? `With your settings, ${seconds}.`
            : faults.length ? element('span', {className: 'bad'}, '✗ Not the same as above: ' + faults[0] + '.')
            : element('span', {className: 'good'}, '✓ The same as above, to the digit'), changed || faults.length ? '' : `, in ${seconds}.`);
        if (curves.runs.size)
            curves.draw();
        looks(this, engine, shell);
    }
}

// The first Run is two keys away from the top of the page.
function skipTo(button) {
    button.id = 'run';
    document.querySelector('.skip').append(element('a', {href: '#run'}, 'Skip to the first Run'));
}

export function blocks() {
    const all = [...document.querySelectorAll('main pre.console')], made = new Map();
    all.forEach((pre, i) => pre.dataset.run !== undefined && made.set(i + 1, new Block(pre)));
    for (const [i, block] of made)
        block.needs = all[i - 1].dataset.run.split(' ').filter(n => n).map(n => made.get(+n));
    if (made.size)
        skipTo(made.values().next().value.button);
}
