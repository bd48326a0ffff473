-- title: First gold file of every case
-- caption: Rank of the first gold file in each arm's list, empty where none is in it, beside the
-- caption: ranks that were published for single cases.
-- column repo: Repository
-- column case_id: Case
-- column difficulty: Difficulty
-- column gold_files: Gold files; d
-- column arm: Arm
-- column first_rank: Rank; d
-- column gold_found: Gold files in the list; d
-- column published: Published; .0f
WITH found AS (
    SELECT arm, case_id, count(*) AS gold_found
    FROM rankings
    SEMI JOIN gold USING (case_id, path)
    GROUP BY arm, case_id
)
SELECT
    cases.repo,
    case_id,
    difficulty,
    gold_files,
    arm,
    first_rank,
    coalesce(gold_found, 0) AS gold_found,
    value AS published
FROM first_ranks
JOIN cases USING (case_id)
JOIN arms USING (arm)
LEFT JOIN found USING (arm, case_id)
LEFT JOIN (FROM published WHERE measure = 'first_rank') AS published USING (arm, case_id)
WHERE NOT contains(arm, '@')
ORDER BY cases.repo, case_id, position
