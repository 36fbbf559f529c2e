// browser.mjs - headless Chromium over a pipe, and a file server: what the tests of the
// web edition look through.
//
//     const web = await open('build/web');             a server and a browser
//     const page = await web.page('index.html', {width: 390, dark: true});
//     await page.run('document.title')                 the value of an expression
//     await page.until('document.title', 10)           is it true within seconds
//     page.faults                                      errors, and requests to elsewhere
//     await web.close();
//     expect('what is wrong', is, wanted); end(name);  it is said, and counted

import {spawn} from 'node:child_process';
import {createReadStream, existsSync, mkdtempSync, rmSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {basename, extname, join} from 'node:path';

const TYPES = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css',
    '.wasm': 'application/wasm', '.svg': 'image/svg+xml'};

function serve(folder, hidden) {
    const server = createServer((asked, answer) => {
        const file = join(folder, decodeURIComponent(new URL(asked.url, 'http://x').pathname));
        if (hidden.has(basename(file)) || !existsSync(file) || !statSync(file).isFile())
            return answer.writeHead(404).end();
        answer.writeHead(200, {'content-type': TYPES[extname(file)] || 'application/octet-stream'});
        createReadStream(file).pipe(answer);
    });
    return new Promise(done => server.listen(0, '127.0.0.1', () => done(server)));
}

export async function open(folder) {
    const hidden = new Set(); // names of files that it does not serve
    const server = await serve(folder, hidden), origin = 'http://127.0.0.1:' + server.address().port;
    const profile = mkdtempSync(join(tmpdir(), 'web-'));
    const browser = spawn(process.env.CHROMIUM || 'chromium', ['--headless', '--no-sandbox', '--disable-gpu',
        '--disable-dev-shm-usage', '--remote-debugging-pipe', '--user-data-dir=' + profile],
        {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    const waiting = new Map(), sessions = new Map();
    let number = 0, rest = '';
    browser.stdio[4].setEncoding('utf8').on('data', text => {
        const parts = (rest + text).split('\0');
        rest = parts.pop();
        for (const said of parts.map(JSON.parse)) {
            const {done, failed} = waiting.get(said.id) || {};
            waiting.delete(said.id);
            if (said.id)
                said.error ? failed(new Error(said.error.message)) : done(said.result);
            else
                sessions.get(said.sessionId)?.(said.method, said.params);
        }
    });
    const send = (method, params = {}, sessionId) => new Promise((done, failed) => {
        waiting.set(++number, {done, failed});
        browser.stdio[3].write(JSON.stringify({id: number, method, params, sessionId}) + '\0');
    });

    async function page(path, {width = 1400, height = 900, dark = false} = {}) {
        const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
        const {sessionId} = await send('Target.attachToTarget', {targetId, flatten: true});
        const ask = (method, params) => send(method, params, sessionId), faults = [];
        let loaded;
        sessions.set(sessionId, (event, p) => {
            if (event === 'Page.loadEventFired')
                loaded();
            if (event === 'Runtime.exceptionThrown')
                faults.push('exception: ' + (p.exceptionDetails.exception?.description || p.exceptionDetails.text));
            if (event === 'Log.entryAdded' && p.entry.level === 'error')
                faults.push('console: ' + p.entry.text + ' ' + (p.entry.url || ''));
            if (event === 'Runtime.consoleAPICalled' && p.type === 'error')
                faults.push('console: ' + p.args.map(a => a.value || a.description).join(' '));
            if (event === 'Network.requestWillBeSent' && !/^(data|blob):/.test(p.request.url) &&
                !p.request.url.startsWith(origin))
                faults.push('request to elsewhere: ' + p.request.url);
        });
        for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
            await ask(domain + '.enable');
        const go = async (method, more) => {
            const load = new Promise(done => { loaded = done; });
            await ask(method, more);
            await load;
        };
        const view = {faults, ask, url: origin + '/' + path,
            size: (w, h = height) => ask('Emulation.setDeviceMetricsOverride',
                {width: w, height: h, deviceScaleFactor: 1, mobile: false}),
            dark: on => ask('Emulation.setEmulatedMedia',
                {features: [{name: 'prefers-color-scheme', value: on ? 'dark' : 'light'}]}),
            async run(expression) {
                const {result, exceptionDetails: bad} = await ask('Runtime.evaluate',
                    {expression, awaitPromise: true, returnByValue: true});
                if (bad)
                    throw new Error(bad.exception?.description || bad.text);
                return result.value;
            },
            // Until an expression is true, or so many seconds have gone by.
            async until(expression, seconds = 10) {
                for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
                    if (await view.run(expression))
                        return true;
                    await new Promise(done => setTimeout(done, 100));
                }
                return false;
            },
            reload: () => go('Page.reload'),
            close: () => send('Target.closeTarget', {targetId}),
        };
        await view.size(width);
        await view.dark(dark);
        await go('Page.navigate', {url: view.url});
        return view;
    }
    return {page, send, origin, hidden, async close() {
        const ended = new Promise(done => browser.on('exit', done));
        await send('Browser.close').catch(() => {});
        await ended;
        server.close();
        server.closeAllConnections();
        rmSync(profile, {recursive: true, force: true, maxRetries: 5});
    }};
}

let checked = 0, wrong = 0;
export function expect(what, is, wanted = true) {
    checked++;
    if (JSON.stringify(is) === JSON.stringify(wanted))
        return;
    wrong++;
    console.error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
}
export function end(name) {
    console.log(`${name}: ${checked} checks, ${wrong} with faults`);
    process.exitCode = wrong ? 1 : 0;
}
