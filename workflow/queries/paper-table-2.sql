-- title: Equal-budget retrieval and delivered lines
-- caption: Table 2 of the paper. File: mean file recall; Full: cases with every gold file in the
-- caption: first k; both over the {cases} cases. L: mean recall of the gold lines that the context
-- caption: delivers, over the cases whose gold spans all hold the annotated text. Context budget:
-- caption: {budget}.
-- column arm: Arm
-- column file_8: File@8; .3f
-- column full_8: Full@8; d
-- column lines_8: L@8; .3f
-- column file_16: File@16; .3f
-- column full_16: Full@16; d
-- column lines_16: L@16; .3f
WITH named (arm, label, place) AS (
    VALUES
        ('rg', 'Fixed full-issue rg', 1),
        ('fts5', 'FTS5, first 500 chars', 2),
        ('tree', 'Name-only tree', 3),
        ('tree+fts5', 'Tree + FTS5', 4)
),
of_arms AS (
    SELECT
        arm,
        k,
        avg(file_recall) AS files,
        count_if(complete_files) || '/' || count(*) AS complete,
        avg(line_recall) FILTER (aligned) AS lines
    FROM main_scores
    JOIN cases USING (case_id)
    GROUP BY arm, k
)
SELECT
    label AS arm,
    first(files) FILTER (k = 8) AS file_8,
    first(complete) FILTER (k = 8) AS full_8,
    first(lines) FILTER (k = 8) AS lines_8,
    first(files) FILTER (k = 16) AS file_16,
    first(complete) FILTER (k = 16) AS full_16,
    first(lines) FILTER (k = 16) AS lines_16
FROM of_arms
JOIN named USING (arm)
GROUP BY label, place
ORDER BY place
