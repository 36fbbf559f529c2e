#!/bin/sh
# outcomes.sh BUILD - no outcome is believed before it was looked at: a run that was
# written, a figure that gnuplot drew, a product of two sizes, a digest, a process that
# was ended. Other scripts spoil what goes into the program; this one, what comes out.

build=$1
. tests/lib.sh

# --- 2: every plot script, on data without a spread

# --- 3: a run is read back before it is published

# --- 4: a figure is whole or not there

# --- 5: sizes that an int cannot hold

# --- 6: a digest is no comparison

# --- 7: a folder with a space and a quote in its path

# --- 8: the cost of a bias by position at any length

# --- 9: what was ended, edited, read-only or never converged

finish
