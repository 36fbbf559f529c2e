#!/bin/sh
# man.sh QKV - the manual page: what QKV's --help says of each command, and the rest.
qkv=$1
roff() { sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'\'']/\\\&&/'; }
helped() { printf '.EX\n' && "$qkv" "$@" --help=all | roff && printf '.EE\n'; }
commands() { "$qkv" help | sed -n 's/^  qkv \([a-z]*\) .*/\1/p'; }

cat <<END
.TH QKV 1 "" "$("$qkv" --version)" "User Commands"
.SH NAME
qkv, qkv\-double \- $("$qkv" help | sed -n '1s/^qkv - //p')
.SH SYNOPSIS
.B qkv
.I command
.RI [ options ]
.SH DESCRIPTION
.B qkv
trains variants of attention side by side on small tasks, tells which of them are the
same function, and draws how the others differ. The README, the lessons and
lessons/reference.md explain how.
.B qkv\-double
is the same program in double precision.
.SH COMMANDS
$(commands | while read -r command; do echo ".SS $command" && helped "$command"; done)
.SH ENVIRONMENT
.TP
.B QKV_PATH
Directories with variants, separated by colons; they are searched before the program's own.
One that is not there is passed over, as in PATH.
.TP
.B QKV_CALL_SECONDS
Seconds that one call of a plugin's code may take before its process is ended (60); 0: no
limit. Anything but a whole number is refused.
.TP
.B CC
The compiler for plugins that are given as source (cc).
.SH EXIT STATUS
0 if all went well; 1 if something failed, for example a run; 2 if the command line is
wrong, for example if an option would have no effect beside the others.
END
