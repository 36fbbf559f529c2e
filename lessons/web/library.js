/* library.js - what child_process.c and progress.c ask of JavaScript. */
mergeInto(LibraryManager.library, {
    // What fork would give: a copy of the memory, of the open files and of the
    // plugins loaded. Here the call works on the original, and the copy comes
    // back; `report`, of `size` bytes, is what both share.
    call_apart__deps: ['$FS', '$LDSO'],
    call_apart: function (run, begun, report, size, end) {
        const memory = HEAPU8.slice(0, end), stack = stackSave(), files = FS.streams.slice();
        const byName = Object.assign({}, LDSO.loadedLibsByName);
        const byHandle = Object.assign({}, LDSO.loadedLibsByHandle);
        let status;
        try {
            {{{ makeDynCall('vi', 'run') }}}(begun);
        } catch (e) {
            const SIGILL = 4, SIGABRT = 6, SIGFPE = 8, SIGSEGV = 11;
            status = e instanceof ExitStatus ? (e.status & 255) << 8
                   : /out of bounds|stack|null function|signature/.test(e) ? SIGSEGV
                   : /divi|integer/.test(e) ? SIGFPE
                   : /unreachable/.test(e) ? SIGILL : SIGABRT;
            ABORT = false;
        }
        const shared = HEAPU8.slice(report, report + size);
        HEAPU8.fill(0, end);
        HEAPU8.set(memory);
        HEAPU8.set(shared, report);
        stackRestore(stack);
        FS.streams = files;
        files.forEach((file, i) => { if (file) file.fd = i; }); // closed in the call
        LDSO.loadedLibsByName = byName;
        LDSO.loadedLibsByHandle = byHandle;
        return status;
    },

    call_double: function (argv) {
        const words = [];
        for (let i = argv >> 2; HEAPU32[i]; i++)
            words.push(UTF8ToString(HEAPU32[i]));
        return Module.callDouble(words.slice(1));
    },

    post_lines: function (path, lines, steps, runs) {
        Module.postLines(UTF8ToString(path), UTF8ToString(lines), steps, runs);
    },
});
