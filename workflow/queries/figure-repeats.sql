-- title: Differences of repeated arms
-- caption: Arm minus comparator in mean file recall: of all repeats with its 95 % interval
-- caption: (bootstrap over repositories), and of each pair of repeats.
-- column arm: Arm
-- column comparator: Comparator
-- column repeat: Repeat; d
-- column difference: Difference of the repeat in file recall@{k}; +z.3f
-- column delta: Difference in file recall@{k}; +z.3f
-- interval lower upper: 95 % interval; +z.3f
WITH scored AS (
    SELECT family, repeat, case_id, file_recall
    FROM main_scores
    JOIN arms USING (arm)
    WHERE k = getvariable('k')
),
repeat_means AS (
    SELECT family, repeat, avg(file_recall) AS recall FROM scored GROUP BY family, repeat
)
SELECT
    arm,
    comparator,
    coalesce(one.repeat, other.repeat) AS repeat,
    one.recall - other.recall AS difference,
    delta,
    lower,
    upper
FROM statistics
JOIN repeat_means AS one ON one.family = arm
JOIN repeat_means AS other
    ON other.family = comparator
    AND (one.repeat IS NULL OR other.repeat IS NULL OR one.repeat = other.repeat)
JOIN families AS first ON first.family = arm
JOIN families AS second ON second.family = comparator
WHERE metric = 'file_recall' AND subset = 'all' AND k = getvariable('k')
ORDER BY first.position, second.position, repeat
