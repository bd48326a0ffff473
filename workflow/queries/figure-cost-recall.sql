-- title: Cost and file recall
-- caption: Mean cost of an issue against mean file recall in the first {k} candidates, by arm.
-- column arm: Arm
-- column calls: Calls per issue; ,.2f
-- column wall_ms: Time per issue; ,.1f; ms
-- column file_recall: File recall@{k}; .3f
WITH costs AS (
    SELECT arm, avg(calls) AS calls, avg(wall_ms) AS wall_ms FROM operations GROUP BY arm
)
SELECT arm, calls, wall_ms, avg(file_recall) AS file_recall
FROM main_scores
JOIN costs USING (arm)
JOIN arms USING (arm)
WHERE k = getvariable('k')
GROUP BY arm, position, calls, wall_ms
ORDER BY position
