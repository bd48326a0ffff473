-- title: Paired differences and their 95 % intervals
-- caption: Table 4 of the paper. Mean of the case differences, left arm minus right arm, with the
-- caption: bootstrap interval over repositories. File: file recall over the {cases} cases; Line:
-- caption: recall of the gold lines that the context delivers, over the cases whose gold spans all
-- caption: hold the annotated text. Context budget: {budget}.
-- column comparison: Comparison
-- column file_8: File@8; .3f
-- column line_8: Line@8; .3f
-- column file_16: File@16; .3f
WITH named (comparison, label, place) AS (
    VALUES
        ('tree-fts5', 'Tree – FTS5', 1),
        ('tree-rg', 'Tree – fixed rg', 2),
        ('tree+fts5-fts5', 'Fusion – FTS5', 3),
        ('tree+fts5-tree', 'Fusion – tree', 4)
),
printed AS (
    SELECT
        comparison,
        metric || '@' || k || '/' || subset AS cell,
        format('{:+.3f} [{:.3f}, {:.3f}]', delta, lower, upper) AS text
    FROM statistics
    WHERE budget IS NULL OR budget = getvariable('main_budget')
)
SELECT
    label AS comparison,
    first(text) FILTER (cell = 'file_recall@8/all') AS file_8,
    first(text) FILTER (cell = 'line_recall@8/aligned') AS line_8,
    first(text) FILTER (cell = 'file_recall@16/all') AS file_16
FROM printed
JOIN named USING (comparison)
GROUP BY label, place
ORDER BY place
