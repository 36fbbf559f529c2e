/* worker.js - runs command lines of qkv one after the other, away from the page.

   page -> worker:  {run: [WORDS], program: 'qkv-double' or nothing, put: {PATH: BYTES},
                    gone: [PATH]}
   worker -> page:  {ready: true} or {failed: WORDS}, once; then for each command
                    {out: TEXT}, {err: TEXT}, {log: {path, line, steps, runs}} as they come, and
                    {exit: STATUS, seconds, changed: {PATH: BYTES}, removed: [PATH]}, with
                    {words: WHY} where the program could not go on.

   A command has a new instance of the program, as a process is new; what stays is the
   directory /desk, into which `put` is put first, and out of which goes what is `gone`. */
'use strict';

// Does WebAssembly's relaxed multiply-add round once here? Then 4097 x 4097 - 16785408 is 1,
// otherwise 0. If not, the program that computes it in doubles is used, which is several times
// slower.
function fuses() {
    const a = [0, 8, 128, 69], c = [0, 16, 128, 203], splat = [253, 19];
    const code = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 125, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0,
        10, 31, 1, 29, 0, 67, ...a, ...splat, 67, ...a, ...splat, 67, ...c, ...splat, 253, 133, 2, 253, 31, 0, 11]);
    return WebAssembly.validate(code) && new WebAssembly.Instance(new WebAssembly.Module(code)).exports.f() === 1;
}
const kind = location.search !== '?by-doubles' && fuses() ? '-fused.wasm' : '.wasm';

const plugins = {}, beside = {};
const programs = {};
let files = {};

async function bytes(path) {
    const answer = await fetch(path);
    if (!answer.ok)
        throw new Error(path + ': ' + answer.status + ' ' + answer.statusText);
    return new Uint8Array(await answer.arrayBuffer());
}

async function load() {
    importScripts('qkv.js');
    const get = async name => plugins[name] = await bytes('variants/' + name + '.wasm');
    const names = new TextDecoder().decode(await bytes('variants/names.txt')).split('\n').filter(Boolean);
    const program = bytes('qkv' + kind).then(WebAssembly.compile);
    const texts = new TextDecoder().decode(await bytes('names.txt')).split('\n').filter(Boolean);
    await Promise.all(texts.map(async name => beside[name] = await bytes(name)));
    await Promise.all(names.map(get));
    programs.Qkv = await program;
}

// The second program, qkv-double, is seldom needed. When the first one calls it, it needs it at
// once, so it is loaded while that one waits.
function loadDouble() {
    importScripts('qkv-double.js');
    const request = new XMLHttpRequest();
    request.open('GET', 'qkv-double' + kind, false);
    request.responseType = 'arraybuffer';
    request.send();
    programs.QkvDouble = new WebAssembly.Module(request.response);
}

function put(FS, path, data) {
    FS.mkdirTree(path.replace(/\/[^/]*$/, ''), 0o755);
    FS.writeFile(path, data, {mode: 0o644});
}

function found(FS, path, all = {}) {
    for (const name of FS.readdir(path).filter(name => !/^\.\.?$/.test(name))) {
        const at = path + '/' + name;
        if (FS.isDir(FS.lstat(at).mode))
            found(FS, at, all);
        else
            all[at.slice('/desk/'.length)] = FS.readFile(at);
    }
    return all;
}

// A function that takes a stream byte by byte, and passes it on line by line.
function lines(tell) {
    let line = [];
    return byte => {
        if (byte !== null)
            line.push(byte);
        if (line.length && (byte === null || byte === 10)) {
            tell(new TextDecoder().decode(new Uint8Array(line)));
            line = [];
        }
    };
}

function run(program, words, onOut, onErr) {
    const out = lines(onOut), err = lines(onErr);
    const qkv = {
        noInitialRun: true,
        thisProgram: 'qkv',
        stdin: () => null,
        stdout: out,
        stderr: err,
        instantiateWasm(imports, receive) {
            const instance = new WebAssembly.Instance(programs[program], imports);
            receive(instance, programs[program]);
            return instance.exports;
        },
        callDouble(words) {
            if (!programs.QkvDouble)
                loadDouble();
            return run('QkvDouble', words, onOut, onErr).status;
        },
        postLines(path, lines, steps, runs) {
            for (const line of lines.split('\n'))
                postMessage({log: {path, line, steps, runs}});
        },
    };
    self[program](qkv);
    const FS = qkv.FS;
    for (const name in plugins)
        put(FS, '/qkv/variants/' + name + '.so', plugins[name]);
    for (const name in beside)
        put(FS, '/qkv/' + name, beside[name]);
    FS.symlink('/qkv/qkv', '/proc/self/exe');
    FS.writeFile('/proc/meminfo', 'MemAvailable: 1000000 kB\n');
    FS.mkdir('/desk', 0o755);
    for (const path in files)
        put(FS, '/desk/' + path, files[path]);
    FS.chdir('/desk');
    const ended = {};
    try {
        ended.status = qkv.callMain(words);
    } catch (e) {
        ended.status = 134;
        ended.words = String(e.message || e);
    }
    out(null);
    err(null);
    ended.files = found(FS, '/desk');
    return ended;
}

function same(a, b) {
    return a && a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function command(words, program) {
    const start = performance.now(), before = files;
    if (program === 'QkvDouble' && !programs[program])
        loadDouble();
    const {status, words: why, files: after} =
        run(program, words, out => postMessage({out}), err => postMessage({err}));
    const changed = {}, removed = Object.keys(before).filter(path => !(path in after));
    for (const path in after)
        if (!same(before[path], after[path]))
            changed[path] = after[path];
    files = after;
    postMessage({exit: status, seconds: (performance.now() - start) / 1000, changed, removed, words: why});
}

const loaded = load();
loaded.then(() => postMessage({ready: true}),
    e => postMessage({failed: 'The program could not be loaded: ' + e.message}));
self.onmessage = async ({data}) => {
    await loaded;
    files = {...files, ...data.put};
    for (const path of data.gone)
        delete files[path];
    command(data.run, data.program === 'qkv-double' ? 'QkvDouble' : 'Qkv');
};
