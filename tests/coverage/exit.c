/* exit.c - what was counted is written down before a worker goes by _exit. */
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

_Noreturn void
__wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}
