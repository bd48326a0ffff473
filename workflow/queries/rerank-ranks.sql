-- title: Rank of the first gold file
-- caption: Over {cases} cases. A case without a gold file in the list counts with the rank
-- caption: after the longest list. Columns with (p): as published.
-- column arm: Arm
-- column cases: Cases; d
-- column median_rank: Median; .1f
-- column published_median: Median (p); .1f
-- column mean_rank: Mean; .1f
-- column published_mean: Mean (p); .1f
-- column at_1: At rank 1; d
-- column published_at_1: At rank 1 (p); .0f
-- column missed: Not in first 10; d
-- column published_missed: Not in first 10 (p); .0f
-- column not_listed: Not in the list; d
-- column same_cohort: Same cohort
WITH ranked AS (
    SELECT arm, first_rank, coalesce(first_rank, list_max(getvariable('ks')) + 1) AS place
    FROM first_ranks
    WHERE NOT contains(arm, '@')
),
printed AS (
    PIVOT (FROM published WHERE starts_with(measure, 'first_rank_'))
    ON measure IN (
        'first_rank_median', 'first_rank_mean', 'first_rank_at_1', 'first_rank_missed_by_10'
    )
    USING first(value)
    GROUP BY arm, same_cohort
)
SELECT
    arm,
    count(*) AS cases,
    median(place) AS median_rank,
    first_rank_median AS published_median,
    avg(place) AS mean_rank,
    first_rank_mean AS published_mean,
    count_if(place = 1) AS at_1,
    first_rank_at_1 AS published_at_1,
    count_if(place > 10) AS missed,
    first_rank_missed_by_10 AS published_missed,
    count_if(first_rank IS NULL) AS not_listed,
    same_cohort
FROM ranked
JOIN arms USING (arm)
LEFT JOIN printed USING (arm)
GROUP BY
    arm,
    position,
    first_rank_median,
    first_rank_mean,
    first_rank_at_1,
    first_rank_missed_by_10,
    same_cohort
ORDER BY position
