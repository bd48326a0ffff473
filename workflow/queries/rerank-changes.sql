-- title: Better and worse first gold files
-- caption: Cases in which the first gold file stands higher, the same or lower with the arm than
-- caption: with its comparator; p: exact two-sided sign test of higher against lower. A case
-- caption: without a gold file in a list has the rank after the longest. Columns with (p): as
-- caption: published.
-- column arm: Arm
-- column comparator: Comparator
-- column cases: Cases; d
-- column improved: Improved; d
-- column published_improved: Improved (p); .0f
-- column unchanged: Unchanged; d
-- column published_unchanged: Unchanged (p); .0f
-- column worsened: Worsened; d
-- column published_worsened: Worsened (p); .0f
-- column sign_p: p; .4f
-- column same_cohort: Same cohort
WITH places AS (
    SELECT arm, case_id, coalesce(first_rank, list_max(getvariable('ks')) + 1) AS place
    FROM first_ranks
),
changes AS (
    SELECT
        one.arm,
        other.arm AS comparator,
        count(*) AS cases,
        CAST(count_if(one.place < other.place) AS BIGINT) AS improved,
        CAST(count_if(one.place = other.place) AS BIGINT) AS unchanged,
        CAST(count_if(one.place > other.place) AS BIGINT) AS worsened
    FROM (SELECT DISTINCT arm, comparator FROM statistics) AS compared
    JOIN places AS one ON one.arm = compared.arm
    JOIN places AS other ON other.arm = compared.comparator AND other.case_id = one.case_id
    GROUP BY one.arm, other.arm
),
printed AS (
    PIVOT (FROM published WHERE measure IN ('improved', 'unchanged', 'worsened'))
    ON measure IN ('improved', 'unchanged', 'worsened')
    USING first(value)
    GROUP BY arm, same_cohort
)
SELECT
    changes.arm,
    changes.comparator,
    cases,
    changes.improved,
    printed.improved AS published_improved,
    changes.unchanged,
    printed.unchanged AS published_unchanged,
    changes.worsened,
    printed.worsened AS published_worsened,
    sign_test(changes.improved, changes.worsened) AS sign_p,
    printed.same_cohort
FROM changes
JOIN arms AS first ON first.arm = changes.arm
JOIN arms AS second ON second.arm = changes.comparator
LEFT JOIN printed ON printed.arm = changes.arm
ORDER BY first.position, second.position
