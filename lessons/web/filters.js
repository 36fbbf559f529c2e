// filters.js - cut, sed, grep and the other filters behind the lessons' commands, with the
// options that these use. filters.get('cut')(['-f1,2'], input, shell) returns the output, or
// {text, status}: the output and the exit status.

import {awk, lines} from './awk.js';

const joined = all => all.map(line => line + '\n').join('');

// A basic or an extended regular expression of POSIX, as one of JavaScript. In a basic one
// ( + ? { | are operators only with a \ before them, and ^ and $ only at its ends.
export function regex(text, extended, flags = '') {
    return new RegExp(extended ? text : text.replace(/\[\^?\]?[^\]]*\]|\\?[(){}|+?]|[\^$]/g, (s, at) =>
        s[0] === '[' || s === '^' && !at || s === '$' && at === text.length - 1 ? s : s.length > 1 ? s[1] : '\\' + s), flags);
}

// The text of the named files, or the input if there are no names.
const read = (names, input, shell) => names.length ? names.map(name => shell.read(name)).join('') : input;

// "-n5 x" with 'n:' is {n: '5', rest: ['x']}; -5 is {n: '5'}.
function options(args, known) {
    const given = {rest: []};
    for (let i = 0; i < args.length; i++) {
        const [, letter, value] = args[i].match(/^-([A-Za-z])([^]*)$/) || [];
        if (/^-\d+$/.test(args[i]))
            given.n = args[i].slice(1);
        else if (!letter)
            given.rest.push(args[i]);
        else if (known.includes(letter + ':'))
            given[letter] = value || args[++i];
        else
            for (const one of letter + value)
                given[one] = true;
    }
    return given;
}

function cut(args, input, shell) {
    const {f, rest} = options(args, 'f:');
    const ranges = f.split(',').map(r => r.split('-')).map(([from, to = from]) => [+from, +(to || Infinity)]);
    return joined(lines(read(rest, input, shell)).map(line => line.includes('\t') ? line.split('\t').filter(
        (_, i) => ranges.some(([from, to]) => from <= i + 1 && i + 1 <= to)).join('\t') : line));
}

function grep(args, input, shell) {
    const given = options(args, 'A:'), [pattern, ...names] = given.rest, kept = [];
    const expression = regex(pattern, given.E);
    for (const name of names.length ? names : [null]) {
        let after = 0, gap = false;
        for (const line of lines(name ? shell.read(name) : input)) {
            const hit = expression.test(line) !== Boolean(given.v);
            after = hit ? +given.A || 0 : after - 1;
            if (!hit && after < 0) {
                gap = true;
                continue;
            }
            if (given.A && gap && kept.length)
                kept.push('--');
            gap = false;
            const found = given.o ? line.match(new RegExp(expression, 'g')) : [line];
            kept.push(...found.map(part => (names.length > 1 && !given.h ? name + ':' : '') + part));
        }
    }
    return {text: given.c ? kept.length + '\n' : joined(kept), status: kept.length ? 0 : 1};
}

// sed's p, d and s, with addresses N, $ and /re/, one or two.
function sed(args, input, shell) {
    const {n, rest: [script, ...names]} = options(args, '');
    const address = /(?:\d+|\$|\/(?:\\.|[^/\\])*\/)/.source;
    const pattern = new RegExp(`[;\\s]*(${address})?(?:,(${address}))?\\s*(?:([pd])|s(.)((?:\\\\.|(?!\\4).)*)\\4` +
        '((?:\\\\.|(?!\\4).)*)\\4(g?)(p?))', 'y');
    const commands = [];
    while (pattern.lastIndex < script.length) {
        const part = pattern.exec(script);
        if (!part)
            throw new Error('this page does not have this command of sed: ' + script);
        const [, from, to, name, , what, by, all, print] = part;
        commands.push({from, to, name, print, inside: false, what: what !== undefined && regex(what, false, all),
            by: by?.replace(/\$/g, '$$$$').replace(/\\(\d)/g, '$$$1').replace(/(\\?)&/g, (s, b) => b ? '&' : '$&')});
    }
    const source = lines(read(names, input, shell)), out = [];
    const hit = (a, line, i) => a === '$' ? i === source.length - 1 : a[0] === '/'
        ? regex(a.slice(1, -1).replace(/\\\//g, '/')).test(line) : i + 1 === +a;
    source.forEach((line, i) => {
        for (const c of commands) {
            let chosen = !c.from || c.inside || hit(c.from, line, i);
            if (c.to && chosen)
                c.inside = !(c.inside ? hit(c.to, line, i) : /^\d/.test(c.to) && i + 1 >= +c.to);
            if (chosen && c.name === 'd')
                return;
            const changed = chosen && c.what && c.what.test(line);
            if (changed) {
                c.what.lastIndex = 0;
                line = line.replace(c.what, c.by);
                c.what.lastIndex = 0;
            }
            if (chosen && c.name === 'p' || changed && c.print)
                out.push(line);
        }
        if (!n)
            out.push(line);
    });
    return joined(out);
}

function tail(args, input, shell) {
    const {n = '10', rest} = options(args, 'n:'), all = lines(read(rest, input, shell));
    return joined(n.startsWith('+') ? all.slice(n - 1) : all.slice(-n));
}

// The checksum of POSIX: a cyclic redundancy check of bytes and length.
function cksum(args, input, shell) {
    const text = read(args, input, shell);
    let sum = 0;
    const add = byte => {
        sum ^= byte << 24;
        for (let bit = 0; bit < 8; bit++)
            sum = sum << 1 ^ (sum < 0 ? 0x04c11db7 : 0);
    };
    for (let i = 0; i < text.length; i++)
        add(text.charCodeAt(i));
    for (let length = text.length; length; length = Math.floor(length / 256))
        add(length % 256);
    return `${~sum >>> 0} ${text.length}\n`;
}

function ls(args, input, shell) {
    const {A, rest: [folder = '.']} = options(args, ''), names = new Set();
    const prefix = folder === '.' ? '' : folder + '/';
    for (const path of shell.engine.files.keys())
        if (path.startsWith(prefix))
            names.add(path.slice(prefix.length).split('/')[0]);
    return joined([...names].filter(name => A || !name.startsWith('.')).sort());
}

export const filters = new Map(Object.entries({
    awk, cksum, cut, grep, ls, sed, tail,
    cat: (args, input, shell) => read(args, input, shell),
    echo: args => args.join(' ') + '\n',
    head(args, input, shell) {
        const {n = '10', rest} = options(args, 'n:');
        return joined(lines(read(rest, input, shell)).slice(0, n));
    },
    seq(args) { // [FROM [STEP]] TO
        const all = [], to = +args.at(-1), step = args.length > 2 ? +args[1] : 1;
        for (let i = args.length > 1 ? +args[0] : 1; step > 0 ? i <= to : i >= to; i += step)
            all.push(i);
        return joined(all);
    },
}));
