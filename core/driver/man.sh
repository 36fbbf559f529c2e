#!/bin/sh
# man.sh QKV - prints the manual page of the program QKV: the --help of each command, then
# environment, files and exit status.
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
same function, and draws how the others differ. The lessons explain how: see FILES.
.B qkv\-double
is the same program in double precision.
.SH COMMANDS
$(commands | while read -r command; do echo ".SS $command" && helped "$command"; done)
.SH ENVIRONMENT
.TP
.B QKV_PATH
Directories with variants, separated by colons; they are searched before the program's own.
A directory that does not exist is skipped, as in PATH.
.TP
.B QKV_CALL_SECONDS
Seconds that one call of a plugin's code may take before its process is ended (60); 0: no
limit. Anything except a whole number is refused.
.TP
.B CC
The compiler for plugins that are given as source, and options for it, as in CC='cc \-g'
(cc). CFLAGS is not read.
.SH FILES
Installed with the program; paths are relative to the folder that contains it:
.TP
.B ../share/doc/qkv
README.md; lessons/, which begin with lessons/00\-start\-here.md; the reference,
lessons/reference.md; and the changes between releases, lessons/changes.md.
.TP
.B ../share/qkv
The sources of the variants, such as variants/standard.c; the scripts of figures, recipes
and claims in plots/, and tables of published models in models/.
.TP
.B ../lib/qkv/variants
The variants that a command finds by name.
.TP
.B ../include/qkv
The headers for your own variant: variant.h is its manual.
.SH EXIT STATUS
0 if all went well; 1 if something failed, for example a run; 2 if the command line is
wrong, for example if an option would have no effect.
END
