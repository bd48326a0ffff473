-- title: {arm} against {comparator} by repository
-- caption: Mean difference in file recall over the cases of each repository, and over all cases
-- caption: with its 95 % interval (bootstrap over repositories).
-- column repo: Repository
-- column cases: Cases; d
-- column delta: Difference in file recall@{k}; +z.3f
-- interval lower upper: 95 % interval; +z.3f
WITH paired AS (
    SELECT one.repo, one.file_recall - other.file_recall AS difference
    FROM mean_recall AS one
    JOIN mean_recall AS other USING (case_id, k)
    WHERE one.family = getvariable('arm')
      AND other.family = getvariable('comparator')
      AND k = getvariable('k')
),
of_repositories AS (
    SELECT repo, count(*) AS cases, avg(difference) AS delta, NULL AS lower, NULL AS upper
    FROM paired
    GROUP BY repo
),
of_all AS (
    SELECT 'all' AS repo, n_cases AS cases, delta, lower, upper
    FROM statistics
    WHERE arm = getvariable('arm')
      AND comparator = getvariable('comparator')
      AND k = getvariable('k')
      AND metric = 'file_recall'
      AND subset = 'all'
)
FROM of_repositories
UNION ALL
FROM of_all
ORDER BY repo = 'all', delta DESC, repo
