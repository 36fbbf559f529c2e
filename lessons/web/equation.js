// equation.js - a field for an equation. While it is typed, the program derives its form or
// marks its mistake. A button trains it beside standard, and a link keeps it. The equation of a
// link is only data: the program reads it as an equation, and the page shows it as text.

import {element, symbols} from './matrix.js';
import {copier, worker} from './form.js';
import {variants} from './lists.js';
import {inTurn, loaded} from './one-engine.js';
import {told} from './verdict.js';

const FILE = 'yours.eq', RUNS = 'yours';
const PAUSE = 300; // ms without a key, after which it is derived
const RATES = 'each at its best of nine learning rates'; // --lr auto

// The equation in the address, if there is one.
export const typed = () => new URLSearchParams(location.hash.slice(1)).get('equation');

// An element for a line of `qkv derive`: its matrices are formulas, and what is between two of
// them is marked.
function derivedLine(line) {
    const [, stored, where, real] = line.match(/^(\d+) parameters at (.*), (\d+) real$/) || [];
    if (stored)
        return element('p', {}, element('b', {}, `${stored} parameters are stored, ${real} are real`), ` (${where})`);
    if (line.startsWith('no form'))
        return element('p', {className: 'bad'}, line);
    return element('p', {className: 'formula'}, ...line.split(/(\[\w+\])/).map(part => part[0] === '['
        ? element('span', {className: 'bend'}, part.replace('_of]', ']')) : symbols(part)));
}

// An element for the program's message about a mistake, which marks the place.
export const mistake = said => element('pre', {className: 'mistake'},
    said.replace(/^qkv: .*?\.eq:(\d+):/m, 'line $1:').replace(/^qkv: /m, ''));

// The blocks of the page see none of these files.
const put = (engine, text) => engine.files.set(FILE, new TextEncoder().encode(text + '\n'));
function clear(engine) {
    for (const path of [...engine.files.keys()].filter(path => path === FILE || path.startsWith(RUNS + '/')))
        engine.files.delete(path);
}

// What `qkv derive` prints about an equation.
export async function derive(engine, text) {
    put(engine, text);
    const told = await engine.run(['derive', './' + FILE], {program: 'qkv'});
    clear(engine);
    return told;
}

// Elements that show what it found, or where the mistake is. Two of its lines are left out: the
// name, and the comparison with the equation, which here is the equation itself.
function answer({status, out, err, words}) {
    if (status)
        return [mistake(words || err)];
    const lines = out.trim().split('\n').slice(1).map(line => line.trim()).filter(line => line !== 'its equation says the same');
    const refused = lines.filter(line => line.startsWith('no form')), others = lines.filter(line => !refused.includes(line));
    return [...refused, ...others].map(derivedLine);
}

// The learning rate of a run, from its config.tsv.
const rateOf = (engine, name) =>
    new TextDecoder().decode(engine.files.get(`${RUNS}/${name}/config.tsv`)).match(/^lr\t(.*)$/m)[1];

class Equation {
    constructor(section) {
        this.initial = variants.find(row => row.variant === section.dataset.of).equation.replace(/; /g, '\n');
        this.field = element('textarea', {name: 'equation', rows: 1, spellcheck: false, autocapitalize: 'off'});
        this.derived = element('div', {className: 'derived', ariaLive: 'polite'});
        const link = element('button', {type: 'button', className: 'quiet'}, 'Copy a link to it');
        section.className = 'alive';
        section.role = 'region';
        section.ariaLabel = 'An equation to change';
        section.append(element('form', {}, element('label', {}, 'equation', this.field), this.derived,
            element('p', {className: 'controls'}, element('button', {}, 'Train it beside standard'), link)),
            element('p', {className: 'controls'}, element('progress', {hidden: true, ariaLabel: 'Progress'}),
                element('span', {role: 'status', className: 'says'})),
            ...['verdict', 'curves', 'table'].map(className => element('div', {className})));
        this.field.addEventListener('input', () => this.changed());
        this.field.addEventListener('focus', () => this.deriveSoon(0), {once: true});
        addEventListener('hashchange', () => this.fromAddress());
        addEventListener('resize', () => this.fit());
        copier(link, () => location.href.replace(/#.*|$/, '#' + new URLSearchParams({equation: this.field.value})));
        worker(section, (...what) => this.train(section, ...what));
        this.derived.append('Change it: its form is derived as you type.');
        this.show(this.initial);
        this.fromAddress();
        if (location.hash.startsWith('#equation='))
            section.scrollIntoView();
    }

    fromAddress() {
        if (typed() === null || typed() === this.field.value)
            return;
        this.show(typed());
        this.deriveSoon(0);
    }

    show(text) {
        this.field.value = text;
        this.fit();
    }

    // As high as its text.
    fit() {
        this.field.style.height = 'auto';
        this.field.style.height = this.field.scrollHeight + 4 + 'px';
    }

    changed() {
        this.fit();
        this.deriveSoon(PAUSE);
    }

    deriveSoon(pause) {
        clearTimeout(this.waiting);
        this.derived.classList.add('old');
        this.waiting = setTimeout(() => this.deriveNow(), pause);
    }

    // Derives the equation when the engine is free, if the field still has it then.
    async deriveNow() {
        const text = this.field.value;
        this.remember();
        if (!this.derived.children.length)
            this.derived.replaceChildren('Loads the program …');
        try {
            const engine = await loaded();
            await inTurn(async () => {
                if (text === this.field.value)
                    await this.derive(engine, text);
            });
        } catch (error) {
            this.derived.replaceChildren(element('p', {className: 'bad'}, '✗ ' + error.message));
        }
    }

    // Puts the equation into the address at a pause, as Safari refuses 100 changes in 30 s.
    remember() {
        const kept = new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '');
        if (this.field.value === this.initial && !kept.has('equation'))
            return;
        kept.set('equation', this.field.value);
        history.replaceState(null, '', '#' + kept);
    }

    // Shows what is derived, unless it was stopped or more was typed. Is it an equation?
    async derive(engine, text) {
        const told = await derive(engine, text);
        if (told.status !== 130 && text === this.field.value) {
            this.derived.replaceChildren(...answer(told));
            this.derived.classList.remove('old');
            this.field.ariaInvalid = String(told.status !== 0);
        }
        return told.status === 0;
    }

    async train(section, engine, run, curves) {
        for (const place of ['.verdict', '.table'])
            section.querySelector(place).replaceChildren();
        const text = this.field.value;
        if (!await this.derive(engine, text))
            throw new Error('this is not an equation yet: its mistake is marked above');
        put(engine, text);
        try {
            const found = await run(['compare', '-v', 'standard,./' + FILE, '-t', 'recall', '--seeds', '3', '--lr', 'auto',
                '--no-figures', '--tsv', '-o', RUNS]);
            const best = new Map(told(section, found, RATES).map(row => [row.variant, row.rate]));
            curves.keep(name => rateOf(engine, name) === best.get(name.split('.')[1]));
        } finally {
            clear(engine);
        }
    }
}

export const equation = section => new Equation(section);
