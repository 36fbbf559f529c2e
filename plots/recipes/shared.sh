# May queries and keys share their matrix?
# With W^Q = W^K two tokens score each other alike, and no more than the mean of what each scores
# with itself: only one of the two can prefer the other to itself. One head and no residual have no
# way out, several heads or a residual have.
qkv compare -t reverse -v standard,shared-qk --heads 1,2,4 --residual no,yes --lr auto \
    --judge test_accuracy --steps 600 --seeds 5 --log-every 50 --no-figures --no-weights -o "$out" "$@"
qkv plot "$out" --x heads --y test_accuracy
