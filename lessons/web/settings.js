// settings.js - menus and sliders that change the settings of a block's commands: of `qkv train`,
// `compare`, `equiv` and `count`, and the text of `qkv trace`.

import {element, symbols} from './matrix.js';
import {tasks, variants} from './lists.js';

const COMMAND = /\bqkv(-double)? (train|compare|equiv|count|trace)\b(?:"[^"]*"|'[^']*'|2>&1|[^|;&>'"\n])*/g;
const CHOICES = {
    '-v': {name: 'variant', values: variants.map(row => row.variant), usual: 'standard'},
    '-t': {name: 'task', values: tasks.map(row => row.task), usual: 'reverse'},
    '--heads': {name: 'heads', values: [1, 2, 4, 8, 16], usual: '4'},
    '--d-model': {name: 'd_model', values: [8, 16, 32, 64, 128], usual: '32'},
    '--d-k': {name: 'd_k', range: [1, 32]},
    '--lr': {name: 'learning rate', values: [0.001, 0.003, 0.01, 0.03, 0.1], usual: '0.003'},
    '--steps': {name: 'steps', range: [20, 1000, 20], usual: '300'},
    '--seed': {name: 'seed', range: [1, 20], usual: '1'},
    '--seeds': {name: 'seeds', range: [1, 10], usual: '5'},
    '--positions': {name: 'positions', values: ['learned', 'none', 'rope', 'alibi'], usual: 'learned'},
};
const CALLED = {rope: 'RoPE', alibi: 'ALiBi'};
const OF = {
    train: ['-v', '-t', '--heads', '--d-k', '--lr', '--steps', '--seed', '--positions'],
    compare: ['-v', '--heads', '--d-k', '--lr', '--steps', '--seeds', '--positions'],
    equiv: ['-v', '--heads', '--steps', '--seed', '--positions'],
    count: ['-v', '--d-model', '--heads', '--d-k', '--positions'],
    trace: ['-v', '--heads', '--seed', '--positions'],
};

// The value of a setting in this task, if the task has another than usual.
export const usual = (task, name) =>
    tasks.find(row => row.task === task)?.settings.match(new RegExp(`(?:^| )${name}=(\\S+)`))?.[1];

const valueOf = (command, option) => command.match(new RegExp(`(?:^|\\s)${option}[ =](\\S+)`))?.[1];

// The command with this option, replaced or added.
export function withOption(command, option, value) {
    if (option === 'text')
        return command.replace(/"[^"]*"/, `"${value.replace(/["\\$`]/g, '')}"`);
    const place = new RegExp(`(\\s${option}[ =])\\S+`);
    return place.test(command) ? command.replace(place, `$1${value}`)
        : command.replace(/^(qkv\S* \w+)/, `$1 ${option} ${value}`);
}

function control(was, choice) {
    const label = element('label', {}, symbols(choice.name), ' ');
    let input;
    if (choice.range) {
        const [min, max, step = 1] = choice.range, shown = element('output', {}, was);
        input = element('input', {type: 'range', min, max: Math.max(max, was), step, value: was});
        input.addEventListener('input', () => { shown.textContent = input.value; });
        label.append(input, ' ', shown);
    } else {
        const values = choice.values.map(String);
        input = element('select', {}, ...(values.includes(was) ? values : [was, ...values]).map(v => element('option', {value: v}, CALLED[v] ?? v)));
        input.value = was;
        label.append(input);
    }
    return {label, input};
}

export function settings(block) {
    const found = block.commands.flatMap(c => c.line.match(COMMAND) || []);
    const which = found[0]?.match(/qkv\S* (\w+)/)[1];
    if (!found.length || /--from|--preset|qkv (recipe|claim|report)/.test(found.join()))
        return null;
    const chosen = new Map(), shown = element('code', {className: 'changed'});
    const place = element('div', {hidden: true, className: 'settings'});
    const opener = element('button', {type: 'button', className: 'quiet', ariaExpanded: 'false'}, 'Settings');
    const change = line => line.replace(COMMAND, command => {
        for (const [option, value] of chosen)
            if (option === 'text' || OF[command.match(/qkv\S* (\w+)/)[1]].includes(option))
                command = withOption(command, option, value);
        return command;
    });
    const set = (option, value, was) => {
        value === was ? chosen.delete(option) : chosen.set(option, value);
        shown.textContent = chosen.size ? block.commands.map(c => '$ ' + change(c.line)).join('\n') : '';
        back.disabled = !chosen.size;
    };
    const back = element('button', {type: 'button', className: 'quiet', disabled: true}, 'As the page has it');

    function open() {
        chosen.clear();
        const row = element('p', {className: 'controls'});
        const of = name => which !== 'trace' && usual(valueOf(found[0], '-t') ?? 'reverse', name);
        const d_k = (valueOf(found[0], '--d-model') ?? (of('d-model') || 32)) / (valueOf(found[0], '--heads') ?? (of('heads') || 4));
        const initial = option => of(option.slice(2)) || (option === '--d-k' ? String(d_k) : CHOICES[option].usual);
        for (const option of OF[which]) {
            const choice = CHOICES[option], given = valueOf(found[0], option), was = given ?? initial(option);
            const all = which === 'count' && option === '-v' && !given;
            if (all || /\$/.test(was) || choice.range && was.includes(','))
                continue;
            const ones = option === '-v' ? was.split(',') : [was]; // of several variants, a menu for each
            const inputs = [];
            for (const [i, one] of ones.entries()) {
                const {label, input} = control(one, i ? {...choice, name: 'and'} : choice);
                inputs.push(input);
                input.addEventListener('input', () => set(option, inputs.map(x => x.value).join(','), was));
                row.append(label);
            }
        }
        const text = which === 'trace' && found[0].match(/"([^"]*)"/);
        if (text) {
            const input = element('input', {value: text[1], maxLength: 60});
            input.addEventListener('input', () => set('text', input.value, text[1]));
            row.prepend(element('label', {}, 'text ', input));
        }
        row.append(back);
        place.replaceChildren(row, shown);
        set('', '', '');
    }
    back.addEventListener('click', open);
    opener.addEventListener('click', () => {
        if (!place.children.length)
            open();
        place.hidden = !place.hidden;
        opener.ariaExpanded = String(!place.hidden);
    });
    return {place, opener, changed: () => chosen.size ? change : null};
}
