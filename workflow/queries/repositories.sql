-- title: File recall by repository
-- caption: Mean file recall of each arm in the first {k} candidates over the cases of a
-- caption: repository. Excluded cases are not part of any mean.
-- column repo: Repository
-- column cases: Cases; d
-- column excluded: Excluded; d
-- column *: ; .3f
WITH counted AS (
    SELECT repo, count(case_id) AS cases, count(excluded_id) AS excluded
    FROM (
        SELECT repo, case_id, NULL AS excluded_id FROM cases
        UNION ALL
        SELECT repo, NULL, case_id FROM exclusions WHERE stage <> 'dataset'
    )
    GROUP BY GROUPING SETS ((repo), ())
),
recalls AS (
    SELECT repo, CAST(arm AS arm_name) AS arm, avg(file_recall) AS file_recall
    FROM main_scores
    WHERE k = getvariable('ks')[1]
    GROUP BY GROUPING SETS ((repo, arm), (arm))
),
spread AS (
    PIVOT recalls ON arm IN arm_name USING first(file_recall) GROUP BY repo
)
SELECT coalesce(counted.repo, 'all') AS repo, cases, excluded, spread.* EXCLUDE (repo)
FROM counted
LEFT JOIN spread ON spread.repo IS NOT DISTINCT FROM counted.repo
ORDER BY counted.repo IS NULL, counted.repo
