-- title: Paired differences over repositories and over cases
-- caption: File recall of the arm minus its comparator's over {cases} cases of {repositories}
-- caption: repositories: mean difference, its 95 % intervals (bootstrap over repositories, and
-- caption: over cases), cases won, tied and lost, and the exact two-sided sign test of them.
-- column arm: Arm
-- column comparator: Comparator
-- column k: k; d
-- column cases: Cases; d
-- column delta: Difference; +z.3f
-- interval lower upper: Over repositories; +z.3f
-- interval instance_lower instance_upper: Over cases; +z.3f
-- column wins: Wins; d
-- column ties: Ties; d
-- column losses: Losses; d
-- column sign_p: p; .4f
SELECT
    statistics.arm,
    statistics.comparator,
    k,
    n_cases AS cases,
    delta,
    lower,
    upper,
    instance_lower,
    instance_upper,
    wins,
    ties,
    losses,
    sign_p
FROM statistics
LEFT JOIN families AS first ON first.family = statistics.arm
LEFT JOIN families AS second ON second.family = statistics.comparator
WHERE subset = 'all' AND metric = 'file_recall'
ORDER BY first.position, second.position, statistics.arm, statistics.comparator, k
