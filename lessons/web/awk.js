// awk.js - as much of awk as the lessons' commands and the judge of exercises need: patterns,
// print, printf, if, for (;;), expressions, arrays, substr and gsub. compile() turns a program
// into functions of its state, s: {out, what is printed; fields, $0 $1 ...; values, by name}.

// The lines of a text, without their ends.
export const lines = text => text.replace(/\n$/, '').split('\n').slice(0, text ? undefined : 0);

const TOKEN = /[ \t]*(?:(\d*\.?\d+(?:e[-+]?\d+)?)|"((?:\\[^]|[^"\\])*)"|([A-Za-z_]\w*)|(\+\+|--|&&|\|\||[-+*/%=!<>]=|!~|[-+*/%^=!<>~?:;,$(){}[\]\n]))/y;
const numeric = v => typeof v === 'number' || /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(v);
const number = v => typeof v === 'number' ? v : parseFloat(v) || 0;
const text = v => typeof v !== 'number' || Number.isInteger(v) ? String(v) : String(+v.toPrecision(6));
const truth = v => numeric(v) ? number(v) !== 0 : v !== '';
// A regular expression between slashes, or a text that is one.
const regex = (pattern, s, flags) => new RegExp(pattern.regex ?? text(pattern(s)), flags);
const unescaped = s => s.replace(/\\(.)/g, (_, c) => ({n: '\n', t: '\t'})[c] ?? c);

export function format(form, values) {
    return form.replace(/%(-?)(\d*)(?:\.(\d+))?([dsfgc%])/g, (_, left, width, places = 6, kind) => {
        if (kind === '%')
            return '%';
        const value = values.shift() ?? '';
        const made = kind === 'd' ? String(Math.trunc(number(value))) : kind === 'f' ? number(value).toFixed(places)
            : kind === 'g' ? String(+number(value).toPrecision(places)) : text(value);
        return left ? made.padEnd(width) : made.padStart(width);
    });
}

// Each operator: how strongly it binds, and the function that it makes of those of its operands.
const BINARY = {
    '||': [2, (a, b) => s => +(truth(a(s)) || truth(b(s)))],
    '&&': [3, (a, b) => s => +(truth(a(s)) && truth(b(s)))],
    '~': [4, (a, b) => s => +regex(b, s).test(text(a(s)))],
    '!~': [4, (a, b) => s => +!regex(b, s).test(text(a(s)))],
    '+': [7, (a, b) => s => number(a(s)) + number(b(s))],
    '-': [7, (a, b) => s => number(a(s)) - number(b(s))],
    '*': [8, (a, b) => s => number(a(s)) * number(b(s))],
    '/': [8, (a, b) => s => number(a(s)) / number(b(s))],
    '%': [8, (a, b) => s => number(a(s)) % number(b(s))],
};
const COMPARE = {'<': c => c < 0, '<=': c => c <= 0, '>': c => c > 0, '>=': c => c >= 0, '==': c => !c, '!=': c => c};
for (const [op, holds] of Object.entries(COMPARE))
    BINARY[op] = [5, (a, b) => s => {
        const [p, q] = [a(s), b(s)], numbers = numeric(p) && numeric(q);
        return +Boolean(holds(numbers ? number(p) - number(q) : text(p) < text(q) ? -1 : text(p) > text(q) ? 1 : 0));
    }];

// A function of the state that can also be assigned to: set(s, value).
const variable = (get, set) => Object.assign(get, {set});

const field = index => variable(s => s.fields[number(index(s))] ?? '', (s, value) => {
    const i = number(index(s));
    if (i === 0) {
        s.fields = s.split(text(value));
        return;
    }
    s.fields[i] = value;
    s.fields[0] = Array.from(s.fields.slice(1), one => text(one ?? '')).join(' ');
});

// awk's functions: each makes a function of the state from those of its arguments.
const FUNCTIONS = {
    // The characters from .. from + length - 1, counted from 1: those of them that exist.
    substr: (string, from, length) => s => {
        const first = number(from(s)), end = length ? first + number(length(s)) : Infinity;
        return text(string(s)).slice(Math.max(first, 1) - 1, Math.max(end, 1) - 1);
    },
    // In the replacement & is what was found, and \& is a &. Returns how often it was found.
    gsub: (pattern, by, place = field(() => 0)) => s => {
        let count = 0;
        const changed = text(place(s)).replace(regex(pattern, s, 'g'), found => {
            count++;
            return text(by(s)).replace(/\\?&/g, and => and === '&' ? found : '&');
        });
        if (count)
            place.set(s, changed);
        return count;
    },
};

function compile(source) {
    const program = source.replace(/^#.*$|\s# .*$/gm, '');
    let at = 0, kind, token;
    function next() {
        TOKEN.lastIndex = at;
        const match = TOKEN.exec(program);
        [kind, token] = !match ? ['end', ''] : match[1] ? ['number', +match[1]]
            : match[2] !== undefined ? ['string', unescaped(match[2])] : match[3] ? ['name', match[3]] : ['op', match[4]];
        if (!match && program.slice(at).trim())
            throw new Error('this page does not have this part of awk: ' + program.slice(at));
        at = match ? TOKEN.lastIndex : program.length;
    }
    const is = op => kind === 'op' && token === op;
    const passed = op => is(op) && (next(), true);
    const blank = () => { while (passed(';') || passed('\n')); };

    function primary() {
        const [k, t] = [kind, token];
        if (k === 'op' && t === '/') { // a regular expression, up to the next /
            const [, body] = program.slice(at).match(/^((?:\\.|[^/\\])*)\//);
            at += body.length + 1;
            next();
            return Object.assign(s => +new RegExp(body).test(s.fields[0]), {regex: body});
        }
        next();
        if (k === 'number' || k === 'string')
            return () => t;
        if (k === 'name' && FUNCTIONS[t]) {
            const all = [];
            while (!is(')')) {
                next();
                all.push(expression());
            }
            next();
            return FUNCTIONS[t](...all);
        }
        if (k === 'name') {
            if (passed('[')) {
                const index = expression();
                next();
                const array = s => s.values.get(t) ?? s.values.set(t, new Map()).get(t);
                return variable(s => array(s).get(text(index(s))) ?? '', (s, v) => array(s).set(text(index(s)), v));
            }
            return variable(s => t === 'NF' ? s.fields.length - 1 : s.values.get(t) ?? '', (s, v) => { s.values.set(t, v); });
        }
        if (t === '(') {
            const inner = expression();
            next();
            return inner;
        }
        if (t === '$')
            return field(primary());
        const inner = unary();
        return t === '!' ? s => +!truth(inner(s)) : t === '-' ? s => -number(inner(s)) : step(inner, t, true);
    }
    const step = (place, op, before) => s => {
        const old = number(place(s)), value = op === '++' ? old + 1 : old - 1;
        place.set(s, value);
        return before ? value : old;
    };
    function unary() {
        const inner = primary();
        return inner.set && (is('++') || is('--')) ? step(inner, [token, next()][0], false) : inner;
    }
    // An expression of operators that bind more strongly than `level`. Two operands without an
    // operator between them are joined as strings (level 6).
    function expression(level = 0) {
        let left = unary();
        for (;;) {
            const [power, make] = kind === 'op' && BINARY[token] || [];
            const joins = kind !== 'op' && kind !== 'end' || is('$') || is('!') || is('(') || is('++');
            if (level <= 0 && /^[-+*/%]?=$/.test(token) && kind === 'op') {
                const [place, op] = [left, token[0]];
                next();
                const value = expression(0), all = op === '=' ? value : BINARY[op][1](place, value);
                left = s => { const v = all(s); place.set(s, v); return v; };
            } else if (make && power > level) {
                next();
                left = make(left, expression(power));
            } else if (joins && 6 > level) {
                const [a, b] = [left, expression(6)];
                left = s => text(a(s)) + text(b(s));
            } else if (is('?') && level <= 1) {
                next();
                const [condition, yes] = [left, expression(1)];
                next();
                const no = expression(1);
                left = s => truth(condition(s)) ? yes(s) : no(s);
            } else
                return left;
        }
    }
    function block() {
        const all = [];
        for (next(), blank(); !is('}'); blank())
            all.push(statement());
        next();
        return s => all.forEach(one => one(s));
    }
    function statement() {
        if (is('{'))
            return block();
        const name = kind === 'name' ? token : '';
        if (name === 'print' || name === 'printf') {
            const parts = [];
            next();
            if (kind !== 'end' && !is(';') && !is('}') && !is('\n'))
                do parts.push(expression()); while (passed(','));
            return name === 'printf' ? s => { s.out += format(text(parts[0](s)), parts.slice(1).map(p => p(s))); }
                : s => { s.out += (parts.length ? parts.map(p => text(p(s))).join(' ') : s.fields[0]) + '\n'; };
        }
        if (name !== 'for' && name !== 'if')
            return expression();
        next(), next();
        const first = expression();
        if (name === 'if') {
            next();
            blank();
            const then = statement();
            return s => { if (truth(first(s))) then(s); };
        }
        next();
        const condition = expression();
        next();
        const change = expression();
        next();
        const body = statement();
        return s => { for (first(s); truth(condition(s)); change(s)) body(s); };
    }
    const rules = [];
    for (next(), blank(); kind !== 'end'; blank()) {
        const when = token === 'BEGIN' || token === 'END' ? [token, next()][0] : '';
        const pattern = when || is('{') ? null : expression();
        rules.push({when, pattern, body: is('{') ? block() : s => { s.out += s.fields[0] + '\n'; }});
    }
    return rules;
}

// What awk prints with these arguments; the shell reads the files that they name, and `input` is
// read if they name none.
export function awk(args, input, shell) {
    let separator = '', paragraphs = false, i = 0;
    const split = record => [record, ...separator ? record.split(separator) : record.split(/\s+/).filter(f => f)];
    const state = {out: '', fields: [''], values: new Map([['NR', 0]]), split};
    for (; args[i][0] === '-'; i++) {
        const value = args[i].slice(2) || args[i + 1], [, name, set] = value.match(/^(\w+)=([^]*)$/) || [];
        i += args[i].length === 2;
        if (name === 'RS')
            paragraphs = true;
        else if (name)
            state.values.set(name, set);
        else
            separator = unescaped(value);
    }
    const rules = compile(args[i]), names = args.slice(i + 1);
    for (const {body} of rules.filter(r => r.when === 'BEGIN'))
        body(state);
    for (const name of rules.every(r => r.when === 'BEGIN') ? [] : names.length ? names : ['']) {
        const all = name ? shell.read(name) : input;
        state.values.set('FILENAME', name);
        for (const record of paragraphs ? all.split(/\n\n+/).map(p => p.replace(/^\n+|\n+$/g, '')).filter(p => p) : lines(all)) {
            state.fields = split(record);
            state.values.set('NR', state.values.get('NR') + 1);
            for (const {when, pattern, body} of rules)
                if (!when && (!pattern || truth(pattern(state))))
                    body(state);
        }
    }
    for (const {body} of rules.filter(r => r.when === 'END'))
        body(state);
    return state.out;
}
