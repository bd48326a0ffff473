-- title: Paired differences
-- caption: Arm minus comparator over the same cases: mean of the case differences, its 95 %
-- caption: interval (bootstrap over repositories), cases won, tied and lost, and the two-sided
-- caption: sign-flip p over repositories. Context budget of line metrics: {budget}.
-- column arm: Arm
-- column comparator: Comparator
-- column metric: Metric
-- column k: k; d
-- column cases: Cases; d
-- column repositories: Repositories; d
-- column delta: Difference; +z.3f
-- interval lower upper: 95 % interval; +z.3f
-- column wins: Wins; d
-- column ties: Ties; d
-- column losses: Losses; d
-- column p: p; .4f
SELECT
    statistics.arm,
    statistics.comparator,
    replace(metric, '_', ' ') AS metric,
    k,
    n_cases AS cases,
    n_clusters AS repositories,
    delta,
    lower,
    upper,
    wins,
    ties,
    losses,
    p
FROM statistics
LEFT JOIN families AS first ON first.family = statistics.arm
LEFT JOIN families AS second ON second.family = statistics.comparator
WHERE subset = 'all' AND (budget IS NULL OR budget = getvariable('main_budget'))
ORDER BY
    first.position,
    second.position,
    list_position(['file_recall', 'complete_files', 'line_recall'], statistics.metric) NULLS LAST,
    statistics.metric,
    k
