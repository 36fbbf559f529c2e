// exercises.js - the exercises of a lesson, answered on its page: numbers, words in an order,
// and equations. The judge is answers.awk, which `make exercise` runs too; the page fetches it
// only when an answer is checked. The browser keeps the answers, and what is done.

import {awk} from './awk.js';
import {derive, mistake} from './equation.js';
import {exercises} from './lists.js';
import {element, symbols} from './matrix.js';
import {inTurn, loaded} from './one-engine.js';

// What the browser keeps: {EXERCISE: {done, answers: {QUESTION: ANSWER}}}. A browser may refuse
// to keep anything, and what is there may be something else.
const KEPT = 'qkv exercises';
function kept() {
    try {
        return Object(JSON.parse(localStorage.getItem(KEPT)));
    } catch {
        return {};
    }
}
function keep(name, state) {
    try {
        localStorage.setItem(KEPT, JSON.stringify({...kept(), [name]: state}));
    } catch { /* then it is forgotten with the page */ }
}

async function file(name) {
    const answer = await fetch('exercises/' + name);
    if (!answer.ok)
        throw new Error(`exercises/${name}: ${answer.status} ${answer.statusText}`);
    return answer.text();
}

// An element of words, of `code` and of symbols such as W_i^Q.
const prose = (tag, text) => element(tag, {}, ...text.split(/(`[^`]+`)/).map(part =>
    part[0] === '`' ? element('code', {}, part.slice(1, -1)) : symbols(part)));

// The judge's message for each question that is answered wrongly; none if all is right.
async function judge(name, given) {
    const [program, answers] = await Promise.all([file('answers.awk'), file(name + '.answers')]);
    const said = awk(['-F', '\t', '-v', 'name=' + name, program, name + '.answers', 'given'], '',
        {read: path => path === 'given' ? given : answers});
    return new Map([...said.matchAll(/^\S+ (\w): (.*)$/gm)].map(([, question, hint]) => [question, hint]));
}

// The text of an exercise, after its heading, as [{question, text}]: the text of question a ends
// with a line "a:", an introduction with an empty line.
const parts = text => [...text.slice(text.indexOf('\n\n') + 2).matchAll(/([^]+?)\n(?:([a-z]):\n|\n)/g)].map(
    ([, words, question]) => ({question, text: words.trim().replace(/\n/g, ' ')}));

class Exercise {
    constructor({exercise, title, kind}) {
        this.name = exercise;
        this.kind = kind;
        this.mark = element('span', {className: 'good'}, kept()[exercise]?.done ? ' ✓ done' : '');
        this.place = element('details', {}, element('summary', {}, `${exercise}: ${title.replace(': numbers', '')}`, this.mark));
        if (kind === 'c' || kind === 'sh')
            this.place.append(element('p', {}, `This one is ${kind === 'c' ? 'code in C' : 'a script'}, and needs the terminal: `,
                element('code', {}, 'make exercise N=' + exercise), '.'));
        else
            this.place.addEventListener('toggle', () => this.open(), {once: true});
    }

    async open() {
        this.hints = new Map(); // by the name of a field
        this.says = element('div', {role: 'status'});
        this.form = element('form', {}, this.says);
        this.place.append(this.form);
        this.form.addEventListener('submit', event => {
            event.preventDefault();
            this.tell(() => this.check());
        });
        await this.tell(async () => {
            const text = await file(`${this.name}.${this.kind}`);
            this.form.prepend(...this.kind === 'eq' ? this.equation(text) : this.questions(text),
                element('p', {className: 'controls'}, element('button', {}, 'Check')));
        });
    }

    // Does some work; if it fails, shows the error.
    async tell(work) {
        try {
            await work();
        } catch (error) {
            this.says.replaceChildren(element('span', {className: 'bad'}, '✗ ' + error.message));
        }
    }

    // A field with the answer that was given before, or else `initial`; beneath, its hint.
    field(tag, name, initial) {
        const field = element(tag, {name, value: kept()[this.name]?.answers?.[name] ?? initial, autocomplete: 'off', spellcheck: false});
        const hint = element('span', {className: 'bad', id: `hint-${this.name}-${name}`});
        field.setAttribute('aria-describedby', hint.id);
        this.hints.set(name, hint);
        return field;
    }

    questions(text) {
        return parts(text).map(({question, text}) => question === undefined ? prose('p', text)
            : element('p', {}, element('label', {}, prose('span', text), this.field('input', question, '')), ' ', this.hints.get(question)));
    }

    // The comment above the equation, without its sentences about the terminal; the equation.
    equation(text) {
        const [comment, initial] = text.split('\n\n'), about = comment.replace(/^#.*\n#\n/, '').replace(/^# /gm, '');
        return [prose('p', about.replace(/`make exercise[^]*/, '')),
            element('label', {}, 'equation', this.field('textarea', 'equation', initial.trim())), element('p', {}, this.hints.get('equation'))];
    }

    async check() {
        const answers = Object.fromEntries(new FormData(this.form));
        this.says.replaceChildren('Checking …');
        if (this.kind === 'txt')
            return this.judged(answers, Object.entries(answers).map(([question, answer]) => `${question}: ${answer}\n`).join(''));
        const engine = await loaded(), told = await inTurn(() => derive(engine, answers.equation));
        if (told.status === 0)
            return this.judged(answers, told.out);
        this.hints.get('equation').replaceChildren();
        this.says.replaceChildren(mistake(told.words || told.err || 'Stopped.'));
    }

    // Shows a hint beside each wrong answer or, if all are right, what they teach.
    async judged(answers, given) {
        const wrong = await judge(this.name, given), done = wrong.size === 0;
        for (const [name, hint] of this.hints) {
            const said = name === 'equation' ? [...wrong.values()].join('; ') : wrong.get(name);
            hint.replaceChildren(said ? symbols('✗ ' + said) : '');
            this.form.querySelector(`[name=${name}]`).ariaInvalid = String(Boolean(said));
        }
        keep(this.name, {answers, done: done || kept()[this.name]?.done === true});
        this.says.replaceChildren('Not yet.');
        if (!done)
            return;
        this.mark.textContent = ' ✓ done';
        this.says.replaceChildren(element('span', {className: 'good'}, '✓ Right. '), prose('span', await file(this.name + '.why').catch(() => '')));
    }
}

// Exercises are put after the words that name the command of their lesson.
export function exercisesOf(page) {
    const code = [...page.querySelectorAll('code')].find(c => c.textContent.startsWith('make exercise N='));
    const number = code?.textContent.match(/N=(\d\d)/)?.[1];
    const all = exercises.filter(one => one.exercise.startsWith(number + '-'));
    if (all.length)
        code.closest('ol, p').after(element('section', {className: 'alive exercises', ariaLabel: 'Exercises'},
            ...all.map(one => new Exercise(one).place)));
}
