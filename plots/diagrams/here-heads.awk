# here-heads.awk - one head; in colour: the four matrices, which each head has.

BEGIN { here("W^Q W^K W^V W^O") }
