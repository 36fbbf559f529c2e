// engine.mjs BUILD [HOW] - the program in a browser against the native one: the same command
// lines print the same, and leave the same files, every weight bit for bit; what plugins
// break, memory that is refused, and Stop come back as words.

import {createHash} from 'node:crypto';
import {spawnSync} from 'node:child_process';
import {loadavg, tmpdir} from 'node:os';
import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {end, expect, open} from './browser.mjs';

const build = resolve(process.argv[2]), how = process.argv[3] ?? '', desk = mkdtempSync(join(tmpdir(), 'engine-'));
const web = await open(join(build, 'web')), page = await web.page('engine.js');
await page.run(`(async () => {
    const {Engine} = await import('./engine.js');
    self.engine = new Engine('${how}');
    self.gaps = []; // tasks over 50 ms, but for what this test does in the page
    self.own = [];
    new PerformanceObserver(l => gaps.push(...l.getEntries())).observe({type: 'longtask'});
    await engine.ready;
})()`);

// The native program's plugins have other bytes, and each machine its own speed.
const comparable = (path, bytes) => !/config\.tsv$/.test(path) ? bytes :
    Buffer.from(bytes.toString('latin1').replace(/plugin-hash\t.*\n/, ''), 'latin1');
const sum = (path, bytes) => createHash('sha256').update(comparable(path, bytes)).digest('hex').slice(0, 12);
function files(at = '', all = {}) {
    for (const name of readdirSync(join(desk, at)).sort()) {
        const path = at ? at + '/' + name : name;
        if (statSync(join(desk, path)).isDirectory())
            files(path, all);
        else if (!/(timing|real)\.tsv$|\.(so|svg|png)$/.test(path))
            all[path] = sum(path, readFileSync(join(desk, path)));
    }
    return all;
}
async function pageFiles() {
    const texts = await page.run(`own.push(performance.now()), Object.fromEntries([...engine.files]
        .filter(([p]) => !/(timing|real)\\.tsv$|\\.(so|svg|png)$/.test(p))
        .map(([p, b]) => [p, btoa(Array.from(b, c => String.fromCharCode(c)).join(''))]))`);
    return Object.fromEntries(Object.entries(texts).sort(([a], [b]) => a < b ? -1 : 1)
        .map(([path, text]) => [path, sum(path, Buffer.from(text, 'base64'))]));
}
const inPage = words => page.run(`engine.run(${JSON.stringify(words)}, {onLog: ({path, line}) => self.logged?.push({path, line})})`);

// A browser counts real parameters only if it is asked to.
const uncounted = text => /\treal$/m.test(text) ? text.replace(/\t[^\t\n]*$/gm, '') : text;

// It has no gnuplot either.
const undrawn = text => text.replace(/^qkv: (drew |.*gnuplot is not installed).*\n/gm, '');

// The same command in both, then the same files.
async function both(line) {
    const words = line.split(' ');
    const native = spawnSync(join(build, 'qkv'), words, {cwd: desk, encoding: 'utf8'});
    const {status, out, err} = await inPage(words);
    expect(line + ': its status', status, native.status);
    expect(line + ': what it prints', uncounted(out), uncounted(native.stdout));
    expect(line + ': what it notes', undrawn(err), undrawn(native.stderr));
}
async function sameFiles(what, least) {
    const native = files(), here = await pageFiles();
    expect(what + ': enough of them', Object.keys(native).length >= least);
    for (const path of new Set([...Object.keys(native), ...Object.keys(here)]))
        expect(what + ': ' + path, here[path], native[path]);
}

// A default run to the end, with its rows as they come.
const start = Date.now();
await page.run('self.logged = []');
await both('train -t recall -q');
const seconds = (Date.now() - start) / 1000, busy = loadavg()[0] > 1.5;
const [path] = Object.keys(files()).filter(p => /log\.tsv$/.test(p));
const log = readFileSync(join(desk, path), 'utf8').trim().split('\n');
expect('rows as they come', await page.run('logged'), log.map(line => ({path, line})));
console.log(`engine: ${how}${how && ': '}a default run of recall: ${seconds.toFixed(1)} s${busy ? ', on a busy machine' : ''}`);
expect('a default run takes under ten seconds', busy || seconds < 10);
await sameFiles('a run', 9);

// Every variant, briefly, with all that is observed.
const all = spawnSync(join(build, 'qkv'), ['list', '--variants'], {encoding: 'utf8'}).stdout
    .split('\n').slice(1).map(l => l.split('\t')[0]).filter(Boolean);
const brief = '--seeds 1 --steps 12 --batch 8 --test 8 --validate 8 --log-every 2 --no-figures -q';
const observed = '--log attention+scores+gradients+distance';
await both(`compare -v ${all} -t induction --norm pre --mlp 4 ${observed} ${brief} --out all`);
await both(`compare -v standard,gqa -t translate,cross-recall --mlp 1 --positions rope ${brief} --out two`);
await sameFiles('every variant', all.length * 9);

// What the other commands print.
const run = path.slice(0, -'/log.tsv'.length);
for (const line of ['--version', 'list --tasks', 'count', 'count --real -v standard,two-step --d-model 8',
    'equiv -v standard,two-step,full-rank -t recall --steps 60 -q', 'trace hello --d-model 4 --heads 1',
    `inspect ${run} --attention -q`, `inspect ${run} -q`, `generate ${run} --prompt 1`, `export ${run} batch`,
    'no-such-command', 'train --heads 5', 'plot all', 'train -v ./none.so'])
    await both(line);
await sameFiles('other commands', all.length * 9);

// A plugin that breaks costs its own run, and no memory of it stays.
for (const [deed, words] of [['aborts', /crashed in forward: Aborted/], ['exits', /ended its process in forward/],
    ['recurses', /crashed in forward: Segmentation fault/]]) {
    const bytes = readFileSync(join(build, 'wasm/hostile', deed + '.wasm')).toString('base64');
    await page.run(`engine.files.set('${deed}.so', Uint8Array.from(atob('${bytes}'), c => c.charCodeAt(0)))`);
    const {status, err, out} = await inPage(`compare -v ./${deed}.so,standard -t induction ${brief} --out ${deed}`.split(' '));
    expect(deed + ': status', status, 1);
    expect(deed + ': in words: ' + err, words.test(err));
    expect(deed + ': the other run is there', /^induction\tstandard\t/m.test(out));
}
for (const line of ['train --d-model 9000', 'trace hello --d-model 20000 --heads 1']) {
    const {status, err} = await inPage(line.split(' '));
    expect(line + ': status', status, 1);
    expect(line + ': in words: ' + err, /it needs .*B|out of memory/.test(err));
}

// Stop in the middle: what was there stays, and the next command runs.
const before = await pageFiles();
const stopped = await page.run(`new Promise(done => {
    engine.run(['train', '--steps', '100000', '-q'], {onLog: () => engine.stop()}).then(done);
})`);
expect('stopped: status', stopped.status, 130);
expect('stopped: files', await pageFiles(), before);
await both('count -v standard');

const gaps = await page.run(`gaps.filter(g => !own.some(t => g.startTime <= t && t < g.startTime + g.duration)).map(g => g.duration)`);
expect('the page is never blocked', busy ? [] : gaps, []);
expect('no error in the console, no request to elsewhere', page.faults.filter(f => !/favicon/.test(f)), []);
await web.close();
rmSync(desk, {recursive: true});
end('engine');
