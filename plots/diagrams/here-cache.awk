# here-cache.awk - one head; in colour: what a decoder keeps, and what makes it.

BEGIN { here("y W^K W^V") }
