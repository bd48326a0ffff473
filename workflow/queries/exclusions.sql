-- title: Exclusions
-- caption: Cases that are out of the study, by repository, stage and reason. They are not
-- caption: part of any mean and are never replaced.
-- column repo: Repository
-- column stage: Stage
-- column reason: Reason
-- column cases: Cases; d
-- column case_ids: Case ids
SELECT
    repo,
    stage,
    reason,
    count(*) AS cases,
    string_agg(case_id, ', ' ORDER BY case_id) AS case_ids
FROM exclusions
GROUP BY repo, stage, reason
ORDER BY repo, stage, reason
