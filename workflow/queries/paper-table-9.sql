-- title: Primary arms and post-study controls
-- caption: Table 9 of the paper. File: mean file recall over the {cases} cases; L: mean recall of
-- caption: the gold lines that the context delivers, over the cases whose gold spans all hold the
-- caption: annotated text. The controls were not prespecified. Context budget: {budget}.
-- column role: Arms
-- column arm: Arm
-- column file_8: File@8; .3f
-- column file_16: File@16; .3f
-- column lines_8: L@8; .3f
WITH named (arm, role, label, place) AS (
    VALUES
        ('rg', 'primary', 'Fixed full-issue rg', 1),
        ('fts5', 'primary', 'Content + path FTS5', 2),
        ('tree', 'primary', 'Name-only tree', 3),
        ('tree+fts5', 'primary', 'Tree + FTS5', 4),
        ('rg-feedback', 'post-study', 'Two-search rg', 5),
        ('path-fts5', 'post-study', 'Path-only FTS5', 6),
        ('basename', 'post-study', 'Basename overlap', 7),
        ('flat', 'post-study', 'Flat Jev tournament', 8)
)
SELECT
    role,
    label AS arm,
    avg(file_recall) FILTER (k = 8) AS file_8,
    avg(file_recall) FILTER (k = 16) AS file_16,
    avg(line_recall) FILTER (k = 8 AND aligned) AS lines_8
FROM main_scores
JOIN named USING (arm)
JOIN cases USING (case_id)
GROUP BY role, label, place
ORDER BY place
