-- title: Repeats
-- caption: File recall of the {cases} cases: mean over cases and repeats. SD of repeats: of the
-- caption: repeats' means; within cases: root of the mean variance of a case's repeats; between
-- caption: cases: of the cases' means over repeats. Difference: arm minus comparator, each
-- caption: averaged over its repeats, with its 95 % interval (bootstrap over repositories).
-- column arm: Arm
-- column k: k; d
-- column repeats: Repeats; d
-- column calls: Calls; ,.2f
-- column file_recall: File recall; .3f
-- column sd_repeats: SD of repeats; .4f
-- column sd_within: SD within cases; .3f
-- column sd_between: SD between cases; .3f
-- column comparator: Comparator
-- column delta: Difference; +z.3f
-- interval lower upper: 95 % interval; +z.3f
WITH asked AS (
    SELECT family, avg(calls) AS calls FROM operations JOIN arms USING (arm) GROUP BY family
),
scored AS (
    SELECT family, arm, case_id, k, file_recall FROM main_scores JOIN arms USING (arm)
),
repeat_means AS (
    SELECT family, arm, k, avg(file_recall) AS recall FROM scored GROUP BY family, arm, k
),
of_repeats AS (
    SELECT
        family,
        k,
        count(*) AS repeats,
        avg(recall) AS file_recall,
        stddev_samp(recall) AS sd_repeats
    FROM repeat_means
    GROUP BY family, k
),
of_each_case AS (
    SELECT family, case_id, k, avg(file_recall) AS recall, var_samp(file_recall) AS variance
    FROM scored
    GROUP BY family, case_id, k
),
of_cases AS (
    SELECT family, k, sqrt(avg(variance)) AS sd_within, stddev_samp(recall) AS sd_between
    FROM of_each_case
    GROUP BY family, k
),
compared AS (
    SELECT arm AS family, comparator, k, delta, lower, upper
    FROM statistics
    WHERE metric = 'file_recall' AND subset = 'all'
)
SELECT
    family AS arm,
    k,
    repeats,
    calls,
    file_recall,
    sd_repeats,
    sd_within,
    sd_between,
    comparator,
    delta,
    lower,
    upper
FROM of_repeats
JOIN of_cases USING (family, k)
JOIN asked USING (family)
JOIN families USING (family)
LEFT JOIN compared USING (family, k)
LEFT JOIN families AS others ON others.family = comparator
ORDER BY families.position, k, others.position
