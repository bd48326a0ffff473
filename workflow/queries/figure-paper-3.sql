-- title: Model calls and file recall
-- caption: Figure 3 of the paper. Mean model calls of an issue against mean file recall in the
-- caption: first eight candidates, over {cases} cases. The arms differ in prompt and menus too.
-- column arm: Arm
-- column calls: Choice calls per issue; ,.2f
-- column file_recall: File@8; .3f
WITH named (arm, label, place) AS (
    VALUES ('fts5', 'FTS5', 1), ('tree', 'Tree Jev', 2), ('flat', 'Flat Jev', 3)
),
costs AS (
    SELECT arm, avg(calls) AS calls FROM operations GROUP BY arm
)
SELECT label AS arm, calls, avg(file_recall) AS file_recall
FROM main_scores
JOIN costs USING (arm)
JOIN named USING (arm)
WHERE k = 8
GROUP BY label, calls, place
ORDER BY place
