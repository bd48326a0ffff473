-- title: Ablations
-- caption: One row per setting: an arm with one parameter at another value, all else as it
-- caption: is. Gold in the list: gold files in the whole list over all gold files. Calls: of a
-- caption: model, per case. Times are in the table of times. (p): as published.
-- column base: Arm
-- column parameter: Parameter
-- column value: Value
-- column cases: Cases; d
-- column listed: Files listed; .1f
-- column gold_in_list: Gold in the list; .3f
-- column published_gold: Gold in the list (p); .3f
-- column recall_10: Recall@10; .3f
-- column recall_20: Recall@20; .3f
-- column published_20: Recall@20 (p); .3f
-- column calls: Calls; .2f
-- column same_cohort: Same cohort
WITH variants AS (
    SELECT
        arm,
        position,
        split_part(arm, '@', 1) AS base,
        split_part(split_part(arm, '@', 2), '=', 1) AS parameter,
        split_part(split_part(arm, '@', 2), '=', 2) AS value
    FROM arms
    WHERE contains(arm, '@')
),
lists AS (
    SELECT arm, sum(gold_found) / sum(gold_files) AS gold_in_list, avg(returned) AS listed
    FROM main_scores
    WHERE k = list_max(getvariable('ks'))
    GROUP BY arm
),
recalls AS (
    SELECT
        arm,
        count(DISTINCT case_id) AS cases,
        avg(file_recall) FILTER (k = 10) AS recall_10,
        avg(file_recall) FILTER (k = 20) AS recall_20
    FROM main_scores
    GROUP BY arm
),
costs AS (SELECT arm, avg(calls) AS calls FROM operations GROUP BY arm),
printed AS (
    SELECT
        arm,
        first(value) FILTER (measure = 'gold_in_shortlist') AS published_gold,
        first(value) FILTER (measure = 'file_recall' AND k = 20) AS published_20,
        first(same_cohort) AS same_cohort
    FROM published
    GROUP BY arm
)
SELECT
    base,
    parameter,
    value,
    cases,
    listed,
    gold_in_list,
    published_gold,
    recall_10,
    recall_20,
    published_20,
    calls,
    same_cohort
FROM variants
JOIN lists USING (arm)
JOIN recalls USING (arm)
JOIN costs USING (arm)
LEFT JOIN printed USING (arm)
ORDER BY position
