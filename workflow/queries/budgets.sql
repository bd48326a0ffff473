-- title: Context budgets
-- caption: Means over the {cases} cases at every context budget of the study.
-- column arm: Arm
-- column k: k; d
-- column budget: Budget; ,d; tokens
-- column cases: Cases; d
-- column line_recall: Line recall; .3f
-- column complete_lines: Complete lines; d
-- column context_tokens: Context; ,.0f; tokens
SELECT
    arm,
    k,
    budget,
    count(*) AS cases,
    avg(line_recall) AS line_recall,
    count_if(complete_lines) AS complete_lines,
    avg(context_tokens) AS context_tokens
FROM scores
JOIN arms USING (arm)
WHERE budget IS NOT NULL
GROUP BY arm, position, k, budget
ORDER BY position, k, budget
