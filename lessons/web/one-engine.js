// one-engine.js - the page's one engine: loaded when it is first needed, and used by one
// block at a time.

// A module with one instruction on 16 bytes at once, to see whether the browser has them.
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
    253, 98, 11]);

let loading;
export const loaded = () => loading ??= import('./engine.js').then(async ({Engine}) => {
    if (!WebAssembly.validate(SIMD))
        throw new Error('This browser cannot run the program: it has no WebAssembly SIMD (Chrome 91, Firefox 89 and Safari 16.4 do).');
    const engine = new Engine();
    await engine.ready;
    return engine;
}).catch(error => {
    loading = null;
    throw error;
});

// Calls a function as soon as all that were passed before have ended, since the engine runs one
// command at a time.
let before = Promise.resolve();
export const inTurn = task => {
    const turn = before.then(task);
    before = turn.catch(() => {});
    return turn;
};
