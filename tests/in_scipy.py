"""in_scipy.py JUDGE VERDICT RUNS GRID FIGURE - what qkv says of runs, by SciPy."""
import csv
import math
import sys

from scipy import stats


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file, delimiter="\t"))


def close(what, ours, wanted, digits):
    if not math.isclose(float(ours), wanted, rel_tol=10.0 ** (1 - digits), abs_tol=1e-12):
        sys.exit(f"scipy: {what}: {ours}, and SciPy has {wanted}")


judge, verdict, runs, grid, figure = sys.argv[1:]
MARGIN = 0.3


def of(variant, key, table, heads=None):
    return [float(r[key]) if r[key] != "NA" else 0 for r in table
            if r["variant"] == variant and heads in (None, r.get("heads"))]


# One comparison: of its two hypotheses one can be true, so p stays as it is.
a, base = of("mqa", judge, rows(runs)), of("standard", judge, rows(runs))
said = next(r for r in rows(verdict) if r["variant"] == "mqa")
paired = stats.ttest_rel(a, base)
low, high = paired.confidence_interval(0.95)
d = [x - y for x, y in zip(a, base)]
same = max(stats.ttest_1samp(d, MARGIN, alternative="less").pvalue,
           stats.ttest_1samp(d, -MARGIN, alternative="greater").pvalue)
close("difference", said["difference"], sum(d) / len(d), 3)
close("p", said["p_adjusted"], paired.pvalue, 3)
close("p of sameness", said["p_same"], same, 3)
close("low", said["difference_low"], low, 3)
close("high", said["difference_high"], high, 3)

# Medians by order statistics, at each place.
for r in rows(figure):
    x = sorted(of(r["series"], "solved_at", rows(grid), r["heads"]), key=lambda v: v or math.inf)
    n = len(x)
    if x[-1]:  # a seed that never got there is drawn at the last step
        k = max([j for j in range(n // 2) if 1 - 2 * stats.binom.cdf(j, n, 0.5) >= 0.95], default=0)
        close("median's low", r["low"], x[k], 5)
        close("median's high", r["high"], x[n - 1 - k], 5)
print(f"scipy: {judge}, {len(a)} seeds: agrees")
