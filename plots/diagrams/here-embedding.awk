# here-embedding.awk - one head; in colour: what reads the embedding.

BEGIN { here("x y W^Q W^K W^V") }
