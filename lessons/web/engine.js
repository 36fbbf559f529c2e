/* engine.js - qkv for a page: command lines in a worker, and their files.

       import {Engine} from './engine.js';
       const engine = new Engine();
       const {status, out} = await engine.run(['count', '-v', 'standard']);

   run(words, {program, onOut, onErr, onLog}) gives {status, out, err, text, seconds, words}:
   `program` is qkv-double, if not qkv; `text` is out and err as they came, `words` why the
   program could not go on, if so. Commands wait for each other. stop() ends the one that
   runs, whose promise gives status 130, and those that wait; the files stay as they were
   before it. `files` has what is in the directory of the commands, path by path; what is
   put there the next command sees.
   `ready` is kept when the program is there, and broken, with words, when it cannot be. */
export class Engine {
    constructor() {
        this.files = new Map();
        this.waiting = Promise.resolve();
        this.turn = 0; // counts the stops: what began before one does not go on
        this.start();
    }

    start() {
        const url = new URL('worker.js', import.meta.url);
        this.worker = new Worker(url);
        this.ready = new Promise((resolve, reject) => {
            this.worker.onmessage = ({data}) => data.ready ? resolve() : reject(new Error(data.failed));
            this.worker.onerror = () => reject(new Error('The program could not be loaded.'));
        });
        this.ready.catch(() => {}); // whoever runs a command is told
    }

    run(words, on = {}) {
        const turn = this.turn;
        const ended = this.waiting.then(() => turn === this.turn ? this.now(words, on) : stopped());
        this.waiting = ended.catch(() => {});
        return ended;
    }

    async now(words, {program, onOut, onErr, onLog}) {
        await this.ready;
        return new Promise(resolve => {
            const told = {status: 130, out: '', err: '', text: '', seconds: 0};
            this.halt = () => resolve(told);
            this.worker.onmessage = ({data}) => {
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
                else {
                    for (const path in data.changed)
                        this.files.set(path, data.changed[path]);
                    for (const path of data.removed)
                        this.files.delete(path);
                    this.halt = null;
                    resolve(Object.assign(told, {status: data.exit, seconds: data.seconds, words: data.words}));
                }
            };
            this.worker.onerror = e => resolve(Object.assign(told, {status: 134, words: e.message}));
            this.worker.postMessage({run: words, program, files: Object.fromEntries(this.files)});
        });
    }

    stop() {
        this.turn++;
        this.worker.terminate();
        this.start();
        this.halt?.();
        this.halt = null;
    }
}

function stopped() {
    return {status: 130, out: '', err: '', text: '', seconds: 0};
}
