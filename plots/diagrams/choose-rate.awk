# choose-rate.awk - each seed is judged at the rate that is best for the other seeds: those
# of rates.tsv, which tables.sh lets the program write.

function judged(name, y,    i, j, k, best, sum) {
    words(16, y + 36, name, "start bold")
    for (i = 1; i <= 3; i++) {
        words(216, y + (i - 1) * 36, "seed " i, "end 13")
        best = 0
        for (j = 1; j <= rates; j++) {
            sum[j] = 0
            for (k = 1; k <= 3; k++)
                if (k != i)
                    sum[j] += steps[name, k, rate[j]]
            if (!best || sum[j] < sum[best])
                best = j
        }
        for (j = 1; j <= rates; j++) {
            block(190 + j * 88, y + (i - 1) * 36, 84, 30, j == best ? "lit" : "no")
            words(190 + j * 88, y + (i - 1) * 36, steps[name, i, rate[j]])
        }
    }
}
BEGIN {
    canvas(640, 372)
    FS = "\t"
    rates = split("0.001 0.003 0.01 0.03", rate, " ")
    while ((getline <"plots/diagrams/rates.tsv") > 0)
        steps[$1, $2, $3] = $4
    words(16, 20, "Steps to the threshold on reverse (fewer is better)", "start bold")
    words(216, 54, "rate", "end 13")
    for (j = 1; j <= rates; j++)
        words(190 + j * 88, 54, rate[j], "13 bold")
    judged("standard", 86)
    judged("two-step", 206)
    note(320, 318, "Green: the result that counts, at the rate that was best for the other two seeds.")
    for (j = 1; j <= rates; j++) {
        gap = 0
        for (i = 1; i <= 3; i++)
            gap += steps["standard", i, rate[j]] - steps["two-step", i, rate[j]]
        if (gap > 0)
            ahead = ahead (ahead ? ", " : "") rate[j]
        else
            behind = behind (behind ? ", " : "") rate[j]
    }
    note(320, 338, "At the same rate for both, two-step would be ahead at " ahead " and behind at " behind ".")
    note(320, 358, "(Here only the steps count; the program compares accuracy first.)")
}
