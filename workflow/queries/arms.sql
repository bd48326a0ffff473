-- title: Arm summary
-- caption: Means over the {cases} cases of {repositories} repositories, each case with equal
-- caption: weight. A failed case counts as an empty ranking. Complete: cases with every gold file
-- caption: (or gold line) found. Micro recall: gold files found over all gold files.
-- caption: Context budget: {budget}.
-- column arm: Arm
-- column k: k; d
-- column cases: Cases; d
-- column failures: Failed; d
-- column file_recall: File recall; .3f
-- column complete_files: Complete files; d
-- column file_precision: File precision; .3f
-- column any_hit: Any hit; .3f
-- column micro_recall: Micro recall; .3f
-- column line_recall: Line recall; .3f
-- column complete_lines: Complete lines; d
-- column context_tokens: Context; ,.0f; tokens
WITH failed AS (
    SELECT arm, count(error) AS failures FROM operations GROUP BY arm
)
SELECT
    arm,
    k,
    count(*) AS cases,
    failures,
    avg(file_recall) AS file_recall,
    count_if(complete_files) AS complete_files,
    avg(file_precision) AS file_precision,
    avg(CAST(any_hit AS INTEGER)) AS any_hit,
    sum(gold_found) / sum(gold_files) AS micro_recall,
    avg(line_recall) AS line_recall,
    CASE WHEN count(complete_lines) > 0 THEN count_if(complete_lines) END AS complete_lines,
    avg(context_tokens) AS context_tokens
FROM main_scores
JOIN arms USING (arm)
JOIN failed USING (arm)
GROUP BY arm, position, k, failures
ORDER BY position, k
