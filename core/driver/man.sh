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
same function, and draws how the others differ. The lessons explain how: see FILES.
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
The compiler for plugins that are given as source, and options for it, as in CC='cc \-g'
(cc). CFLAGS is not read.
.SH FILES
What the program is installed with, from the folder in which it is:
.TP
.B ../share/doc/qkv
README.md, and lessons/, which begin with lessons/00\-start\-here.md; the reference is
lessons/reference.md, what changed between releases lessons/changes.md.
.TP
.B ../share/qkv
The sources of the variants, such as variants/standard.c; the scripts of figures, recipes
and claims in plots/, and tables of published models in models/.
.TP
.B ../lib/qkv/variants
The variants that are found by name.
.TP
.B ../include/qkv
The headers for a variant of your own: variant.h is the manual.
.SH EXIT STATUS
0 if all went well; 1 if something failed, for example a run; 2 if the command line is
wrong, for example if an option would have no effect beside the others.
END
