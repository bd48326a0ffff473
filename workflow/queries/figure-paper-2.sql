-- title: Tree against FTS5 by repository
-- caption: Figure 2 of the paper. Mean difference in file recall over the cases of each
-- caption: repository, in the paper's order, and over all cases with its 95 % interval.
-- column repo: Repository
-- column cases: Cases; d
-- column delta: Difference in file recall@8; +z.3f
-- interval lower upper: 95 % interval; +z.3f
WITH named (repo, label, place) AS (
    VALUES
        ('huggingface/transformers', 'Transformers', 1),
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
),
paired AS (
    SELECT tree.repo, tree.file_recall - fts5.file_recall AS difference
    FROM main_scores AS tree
    JOIN main_scores AS fts5 USING (case_id, k)
    WHERE tree.arm = 'tree' AND fts5.arm = 'fts5' AND k = 8
),
plotted AS (
    SELECT
        label AS repo, count(*) AS cases, avg(difference) AS delta, NULL AS lower, NULL AS upper,
        place
    FROM paired
    JOIN named USING (repo)
    GROUP BY label, place
    UNION ALL
    SELECT 'all', n_cases, delta, lower, upper, 12
    FROM statistics
    WHERE comparison = 'tree-fts5' AND metric = 'file_recall' AND k = 8 AND subset = 'all'
)
SELECT repo, cases, delta, lower, upper
FROM plotted
ORDER BY place
