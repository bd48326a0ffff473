-- title: File recall of shortlists and reranked lists
-- caption: Mean share of gold files in the first k places over {cases} cases. Published values
-- caption: beside ours; they compare only where the cohort is the same, and those of a reranked
-- caption: list only with the model that was published. Variants of an arm are in the ablations.
-- column arm: Arm
-- column k: k; d
-- column cases: Cases; d
-- column file_recall: File recall; .3f
-- column published: Published; .3f
-- column difference: Difference; +z.3f
-- column same_cohort: Same cohort
SELECT
    arm,
    k,
    count(*) AS cases,
    avg(file_recall) AS file_recall,
    value AS published,
    avg(file_recall) - value AS difference,
    same_cohort
FROM main_scores
JOIN arms USING (arm)
LEFT JOIN (FROM published WHERE measure = 'file_recall') AS published USING (arm, k)
WHERE NOT contains(arm, '@')
GROUP BY arm, position, k, value, same_cohort
ORDER BY position, k
