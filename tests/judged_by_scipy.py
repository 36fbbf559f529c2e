"""judged_by_scipy.py QKV DIR - every digit that `qkv judge` prints about the tables of DIR,
and about tables of random numbers, by SciPy."""
import csv
import random
import subprocess
import sys

from scipy import stats

qkv, directory = sys.argv[1:]
checked = 0


def said_by(path, options):
    text = subprocess.run([qkv, "judge", path, *options, "--tsv"], check=True,
                          capture_output=True, text=True).stdout
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


def same(where, ours, wanted, digits):
    """Is it what printf prints of the number that SciPy has?"""
    global checked
    checked += 1
    text = "NA" if wanted is None else f"{wanted:.{digits}g}"
    if ours != text:
        sys.exit(f"scipy: {where}: {ours}, and SciPy has {text}")


def margin_test(x, base, margin, test):
    """Two one-sided tests."""
    return max(test([v - margin for v in x], base, "less"), test([v + margin for v in x], base, "greater"))


def paired(x, base, side):
    return stats.ttest_rel(x, base, alternative=side).pvalue


def welch(x, base, side):
    return stats.ttest_ind(x, base, equal_var=False, alternative=side).pvalue


def shaffer(p, together):
    """Holm's adjustment, in which at most `together` hypotheses are true."""
    order, most = sorted(p), 0.0
    adjusted = {}
    for i, value in enumerate(order):
        most = max(most, value * min(len(p) - i, together))
        adjusted[value] = min(most, 1)
    return [adjusted[v] for v in p]


def judged(path, method, seed, result, baseline, margin, options):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    names = list(dict.fromkeys(r[method] for r in rows))
    of = {n: sorted((r[seed] if seed else "", i, float(r[result])) for i, r in enumerate(rows)
                    if r[method] == n) for n in names}
    x = {n: [v for _, _, v in of[n]] for n in names}
    said = {r["method"]: r for r in said_by(path, options)}
    others = [n for n in names if n != baseline]
    facts = {}
    for n in others:
        pairs = seed and [s for s, _, _ in of[n]] == [s for s, _, _ in of[baseline]]
        test = paired if pairs else welch
        whole = (stats.ttest_rel(x[n], x[baseline]) if pairs else
                 stats.ttest_ind(x[n], x[baseline], equal_var=False))
        both = margin_test(x[n], x[baseline], margin, test) if margin else None
        facts[n] = (pairs, whole.pvalue, both, whole.confidence_interval(0.95))
    p = [f[1] for f in facts.values()] + [f[2] for f in facts.values() if f[2] is not None]
    p = shaffer(p, len(others))
    for i, n in enumerate(others):
        where, row = f"{path}: {n}", said[n]
        pairs, _, both, interval = facts[n]
        assert row["test"] == ("paired t" if pairs else "Welch's t"), where
        same(f"{where}: difference", row["difference"], stats.tmean(x[n]) - stats.tmean(x[baseline]), 4)
        same(f"{where}: low", row["difference_low"], interval.low, 4)
        same(f"{where}: high", row["difference_high"], interval.high, 4)
        same(f"{where}: p", row["p_adjusted"], p[i], 4)
        same(f"{where}: p of sameness", row["p_same"], p[len(others) + i] if both is not None else None, 4)
    for n in names:
        mean = stats.tmean(x[n])
        same(f"{path}: {n}: mean", said[n]["average"], mean, 6)
        if len(x[n]) > 2:
            low, high = stats.t.interval(0.95, len(x[n]) - 1, loc=mean, scale=stats.sem(x[n]))
            same(f"{path}: {n}: low", said[n]["low"], low, 6)
            same(f"{path}: {n}: high", said[n]["high"], high, 6)


with open(f"{directory}/questions.tsv") as file:
    for line in file:
        if line.startswith("#"):
            continue
        path, _, _, options = line.rstrip("\n").split("\t")
        words = options.split()
        given = {w: words[i + 1] for i, w in enumerate(words[:-1]) if w.startswith("--")}
        margin = given.get("--margin")
        judged(f"{directory}/{path}", given["--method"], given.get("--seed"),
               given.get("--lower") or given.get("--higher"), given["--baseline"],
               margin and float(margin.split("=")[1]), words)

chance = random.Random(3)
for trial in range(40):
    methods, seeds, shared = chance.randint(2, 6), chance.randint(3, 12), chance.random() < 0.5
    margin, more = chance.choice([None, 0.5]), chance.choice([0, 0, 1e9]) # more is added to all
    with open("random.csv", "w") as file:
        file.write("m,s,x\n")
        for m in range(methods):
            count = seeds if shared or not m else chance.randint(3, 12)
            for s in range(count):
                file.write(f"m{m},{s if shared else 100 * m + s},{more + chance.gauss(m % 3, 1 + m % 2):.6f}\n")
    judged("random.csv", "m", "s", "x", "m0", margin,
           ["--method", "m", "--seed", "s", "--unpaired", "--lower", "x", "--baseline", "m0"]
           + (["--margin", f"x={margin}"] if margin else []))
print(f"scipy: judge: {checked} numbers agree in every digit")
