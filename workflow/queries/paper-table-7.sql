-- title: File recall at eight candidates by repository
-- caption: Table 7 of the paper. Means over the cases of a repository; halves are rounded away
-- caption: from zero, as there.
-- column repository: Repository
-- column cases: n; d
-- column tree: Tree recall@8; .2f
-- column fts5: FTS5 recall@8; .2f
-- column fusion: Fusion recall@8; .2f
WITH named (repo, label, place) AS (
    VALUES
        ('huggingface/transformers', 'transformers', 1),
        ('sympy/sympy', 'SymPy', 2),
        ('ansible/ansible', 'Ansible', 3),
        ('mui/material-ui', 'Material UI', 4),
        ('microsoft/vscode', 'VS Code', 5),
        ('serverless/serverless', 'Serverless', 6),
        ('NodeBB/NodeBB', 'NodeBB', 7),
        ('cli/cli', 'GitHub CLI', 8),
        ('flipt-io/flipt', 'Flipt', 9),
        ('ponylang/ponyc', 'PonyC', 10),
        ('clap-rs/clap', 'Clap', 11)
)
SELECT
    label AS repository,
    count(DISTINCT case_id) AS cases,
    round(avg(file_recall) FILTER (arm = 'tree'), 2) AS tree,
    round(avg(file_recall) FILTER (arm = 'fts5'), 2) AS fts5,
    round(avg(file_recall) FILTER (arm = 'tree+fts5'), 2) AS fusion
FROM main_scores
JOIN named USING (repo)
WHERE k = 8
GROUP BY label, place
ORDER BY place
