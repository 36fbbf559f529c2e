// shell.js - as much of a shell as the lessons' commands need, over the engine and its
// files: | ; && ( ) for, > 2> 2>&1, quotes, $name, $(...), *. The filters are in filters.js.
//
//     const shell = new Shell(engine, {onText, onLog});
//     await shell.run('qkv count | cut -f1,2');     the status; text goes to onText
//
// A file is read as one character a byte, so that cksum sees bytes.

import {filters} from './filters.js';

const bytesToText = bytes => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 8192)
        text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return text;
};

// The tokens of a line: {op}, or {word: [{text, how}, ...]} whose parts were quoted in different
// ways: `how` is ', " or bare, which is not quoted.
function tokens(line) {
    const found = [], pattern = new RegExp([
        /(?<space>[ \t]+)/, /(?<op>\d?>&\d|\d?>>?|&&|\|\||[|;()\n])/, /'(?<single>[^']*)'/,
        /"(?<double>(?:\$\([^()]*(?:\([^()]*\)[^()]*)*\)|\\[^]|[^"\\])*)"/,
        /(?<bare>(?:\$\([^()]*(?:\([^()]*\)[^()]*)*\)|\\[^]|[^ \t\n|;()<>&'"])+)/]
        .map(r => r.source).join('|'), 'y');
    let word = null;
    while (pattern.lastIndex < line.length) {
        const at = pattern.lastIndex, match = pattern.exec(line);
        if (!match)
            throw new Error('this page cannot run this part of the command: ' + line.slice(at));
        const {space, op, single, double, bare} = match.groups;
        if (space || op) {
            word = null;
            if (op)
                found.push({op});
            continue;
        }
        if (!word)
            found.push({word: word = []});
        word.push(single !== undefined ? {how: "'", text: single}
            : double !== undefined ? {how: '"', text: double} : {how: 'bare', text: bare});
    }
    return found;
}

// A list of pipelines, each {after, commands}; a command is {words, redirects}, {list}
// or {name, words, list} (a for).
function parse(line) {
    const all = tokens(line);
    let at = 0;
    const plain = () => all[at]?.word?.length === 1 && all[at].word[0].how === 'bare' ? all[at].word[0].text : '';
    function list(end) {
        const pipelines = [];
        let after = ';';
        while (at < all.length && all[at].op !== ')' && plain() !== end) {
            if (/^[;\n]$|^&&$|^\|\|$/.test(all[at].op))
                after = all[at++].op;
            else {
                pipelines.push({after, commands: pipeline()});
                after = ';';
            }
        }
        return pipelines;
    }
    function pipeline() {
        const commands = [command()];
        while (all[at]?.op === '|')
            at++, commands.push(command());
        return commands;
    }
    function command() {
        const made = {words: [], redirects: []};
        if (all[at].op === '(') {
            at++;
            made.list = list();
            at++;
        } else if (plain() === 'for') {
            made.name = all[at + 1].word[0].text;
            for (at += 3; all[at].word; at++)
                made.words.push(all[at].word);
            for (; plain() !== 'do'; at++);
            at++;
            made.list = list('done');
            at++;
        }
        for (; at < all.length; at++) {
            const {op, word} = all[at];
            if (word)
                made.words.push(word);
            else if (/^\d?>/.test(op))
                made.redirects.push([op, op.includes('&') ? null : all[++at].word]);
            else
                break;
        }
        return made;
    }
    return list();
}

export class Shell {
    constructor(engine, {onText = () => {}, onLog = () => {}} = {}) {
        Object.assign(this, {engine, onText, onLog, values: new Map([['?', '0']])});
    }

    // The paths that match a name with *; the name itself if it has no *, or if none matches.
    glob(name) {
        if (!name.includes('*'))
            return [name];
        const pattern = new RegExp('^' + name.split('/').map(p => p.split('*').map(
            s => s.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('[^/]*').replace(/^\[/, '(?!\\.)[')).join('/') + '$');
        const paths = new Set();
        for (const file of this.engine.files.keys())
            for (let end = file.indexOf('/'); ; end = file.indexOf('/', end + 1)) {
                paths.add(end < 0 ? file : file.slice(0, end));
                if (end < 0)
                    break;
            }
        const matched = [...paths].filter(p => pattern.test(p)).sort();
        return matched.length ? matched : [name];
    }

    async substituted(text) {
        const part = text.match(/\\[^]|\$\(([^]*)\)|\$\{?(\w+|\?)\}?/);
        if (!part)
            return text;
        const value = part[0][0] === '\\' ? part[0] : part[1] !== undefined ? await this.output(part[1])
            : this.values.get(part[2]) ?? '';
        return text.slice(0, part.index) + value + await this.substituted(text.slice(part.index + part[0].length));
    }

    async output(line) {
        let text = '';
        await this.list(parse(line), {out: s => { text += s; }, err: this.onText});
        return text.replace(/\n+$/, '');
    }

    async expand(words) {
        const expanded = [];
        for (const parts of words) {
            let text = '', globbed = true;
            for (const {how, text: part} of parts) {
                const value = how === "'" ? part : await this.substituted(part);
                globbed &&= how === 'bare';
                text += how === 'bare' ? value.replace(/\\([^])/g, '$1').replace(/\n/g, ' ') : value.replace(/\\(["\\$])/g, '$1');
            }
            expanded.push(...(globbed || parts.some(p => p.how === 'bare' && p.text.includes('*'))
                ? this.glob(text) : [text]));
        }
        return expanded;
    }

    read(path) {
        const bytes = this.engine.files.get(path.replace(/^\.\//, ''));
        if (!bytes)
            throw new Error(`${path}: No such file or directory`);
        return bytesToText(bytes);
    }

    async run(line) {
        return this.list(parse(line), {out: this.onText, err: this.onText});
    }

    async list(pipelines, io) {
        let status = 0;
        for (const {after, commands} of pipelines) {
            if (after === '&&' && status || after === '||' && !status)
                continue;
            let input = '';
            for (const [i, command] of commands.entries()) {
                let text = '';
                const out = i + 1 < commands.length ? s => { text += s; } : io.out;
                status = await this.command(command, input, {out, err: io.err});
                input = text;
            }
            this.values.set('?', String(status));
        }
        return status;
    }

    async command({words, redirects, name, list}, input, {out, err}) {
        for (const [op, word] of redirects) {
            const path = word && (await this.expand([word]))[0];
            const old = op.endsWith('>>') && this.engine.files.get(path.replace(/^\.\//, '')) || new Uint8Array();
            let text = new TextDecoder().decode(old);
            if (path && path !== '/dev/null')
                this.engine.files.set(path, old);
            const sink = op === '2>&1' ? out : path === '/dev/null' ? () => {} : s => {
                this.engine.files.set(path, new TextEncoder().encode(text += s));
            };
            if (op.startsWith('2'))
                err = sink;
            else
                out = sink;
        }
        if (name) {
            let status = 0;
            for (const value of await this.expand(words)) {
                this.values.set(name, value);
                status = await this.list(list, {out, err});
            }
            return status;
        }
        if (list)
            return this.list(list, {out, err});
        const [what, ...args] = await this.expand(words);
        if (/^qkv(-double)?$/.test(what)) {
            const {status, words: said} = await this.engine.run(args,
                {program: what, onOut: out, onErr: err, onLog: this.onLog});
            if (said)
                err(said + '\n');
            if (status === 130)
                throw new Error('stopped');
            return status;
        }
        try {
            const result = filters.get(what)(args, input, this);
            out(result.text ?? result);
            return result.status ?? 0;
        } catch (error) {
            err(`${what}: ${error.message}\n`);
            return 1;
        }
    }
}
