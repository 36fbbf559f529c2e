# here-full-matrix.awk - one head; in colour: what one full matrix W_i replaces.

BEGIN { here("W^Q W^K s") }
