/* engine.js - qkv for a page: command lines in workers, and their files.

       import {Engine} from './engine.js';
       const engine = new Engine(); // 'by-doubles': without the processor's multiply-add
       const {status, out} = await engine.run(['count', '-v', 'standard']);

   run(words, {program, onOut, onErr, onLog}) gives {status, out, err, text, seconds, words}:
   `program` is qkv-double, if not qkv; `text` is out and err as they came, `words` why the
   program could not go on, if so. Commands wait for each other. The runs of a `compare`
   are trained first, on as many workers as there are cores, MOST at most, as its --plan
   says; then it finds them there. stop() ends the command that runs, whose promise gives
   status 130, and those that wait; the files stay as they were before it, but for the runs
   of a comparison that had ended. `files` has what is in the directory of the commands,
   path by path; what is put there the next command sees.
   `ready` is kept when the program is there, and broken, with words, when it cannot be. */
const MOST = 4;
const heading = bytes => bytes.slice(0, bytes.indexOf(10, bytes.indexOf(10) + 1) + 1); // two lines
const stopped = () => ({status: 130, out: '', err: '', text: '', seconds: 0});

export class Engine {
    constructor(how = '') {
        this.how = how;
        this.files = new Map();
        this.waiting = Promise.resolve();
        this.turn = 0; // counts the stops: what began before one does not go on
        this.start();
    }

    start() {
        this.workers = [new Hand(this.how)];
        this.ready = this.workers[0].ready;
    }

    run(words, on = {}) {
        const turn = this.turn;
        const ended = this.waiting.then(() => turn === this.turn ? this.now(words, on) : stopped());
        this.waiting = ended.catch(() => {});
        return ended;
    }

    async now(words, on) {
        const turn = this.turn;
        if (words[0] === 'compare' && !words.some(word => /^--(plan|help)/.test(word)) && await this.spread(words, on))
            on = {...on, unsaid: / runs are already in .*\n$/}; // which is no news
        return turn === this.turn ? this.end(this.workers[0].run(words, this.files, on)) : stopped();
    }

    // Waits for a command, makes its changes of files, and returns the rest of its result.
    async end(run) {
        const turn = this.turn, {changed = {}, removed = [], ...told} = await run;
        if (turn !== this.turn)
            return stopped();
        for (const path in changed)
            this.files.set(path, changed[path]);
        for (const path of removed)
            this.files.delete(path);
        return told;
    }

    // Trains the runs of a comparison, by several workers, and returns how many there are. The
    // comparison runs afterwards, finds them, and records itself in experiment.tsv. So of the
    // record that each of these runs makes there, only the heading is kept.
    async spread(words, {program, onLog}) {
        const turn = this.turn, plan = await this.end(this.workers[0].run([...words, '--plan'], this.files, {program}));
        const lines = plan.status ? [] : plan.out.split('\n').filter(line => /^qkv train [^'"\\]*$/.test(line));
        const runs = lines.length, most = Math.min(MOST, navigator.hardwareConcurrency, runs);
        while (this.workers.length < most)
            this.workers.push(new Hand(this.how));
        await Promise.all(this.workers.map(async worker => {
            while (lines.length && turn === this.turn) {
                const told = await worker.run(lines.shift().split(' ').slice(1), this.files,
                    {program, onLog: log => onLog?.({...log, runs})});
                for (const path of Object.keys(told.changed ?? {}).filter(path => /experiment\.tsv$/.test(path)))
                    told.changed[path] = this.files.get(path) ?? heading(told.changed[path]);
                await this.end(told);
            }
        }));
        return runs;
    }

    stop() {
        this.turn++;
        for (const worker of this.workers)
            worker.stop();
        this.start();
    }
}

// The engine's thread, a web worker, which runs one command at a time.
class Hand {
    constructor(how) {
        this.worker = new Worker(new URL(how ? 'worker.js?' + how : 'worker.js', import.meta.url));
        this.ready = new Promise((resolve, reject) => {
            this.worker.onmessage = ({data}) => data.ready ? resolve() : reject(new Error(data.failed));
            this.worker.onerror = () => reject(new Error('The program could not be loaded.'));
        });
        this.ready.catch(() => {}); // whoever runs a command is told
        this.has = new Map(); // the files that are there
        this.stopped = new Promise(resolve => {
            this.stop = () => {
                this.worker.terminate();
                resolve(stopped());
            };
        });
    }

    async run(words, files, on) {
        const told = await Promise.race([this.stopped, this.ready.then(() => this.ask(words, files, on))]);
        for (const path in told.changed)
            this.has.set(path, told.changed[path]);
        for (const path of told.removed ?? [])
            this.has.delete(path);
        return told;
    }

    ask(words, files, {program, unsaid, onOut, onErr, onLog}) {
        return new Promise(resolve => {
            const told = stopped();
            this.worker.onmessage = ({data}) => {
                if (unsaid?.test(data.err))
                    return;
                if ('out' in data) {
                    told.out += data.out;
                    told.text += data.out;
                    onOut?.(data.out);
                } else if ('err' in data) {
                    told.err += data.err;
                    told.text += data.err;
                    onErr?.(data.err);
                } else if (data.log)
                    onLog?.(data.log);
                else
                    resolve(Object.assign(told, data, {status: data.exit})); // exit, seconds, words, changed, removed
            };
            this.worker.onerror = e => resolve(Object.assign(told, {status: 134, words: e.message}));
            this.worker.postMessage({run: words, program,
                put: Object.fromEntries([...files].filter(([path, bytes]) => this.has.get(path) !== bytes)),
                gone: [...this.has.keys()].filter(path => !files.has(path))});
            this.has = new Map(files);
        });
    }
}
