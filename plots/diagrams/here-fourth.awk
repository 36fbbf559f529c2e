# here-fourth.awk - one head; in colour: where the fourth matrix is already.

BEGIN { here("W^V sum W^O") }
