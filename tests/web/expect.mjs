// expect.mjs - what is wrong is said and counted.

let checked = 0, wrong = 0;
export function expect(what, is, wanted = true) {
    checked++;
    if (process.env.VERBOSE)
        console.log(what);
    if (JSON.stringify(is) === JSON.stringify(wanted))
        return;
    wrong++;
    console.error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
}
export function end(name) {
    console.log(`${name}: ${checked} checks, ${wrong} with faults`);
    process.exitCode = wrong ? 1 : 0;
}
