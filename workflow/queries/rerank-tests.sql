-- title: Test files among the first ten
-- caption: The control: share of the first ten files that are tests, over all cases together. A
-- caption: test is a file below test, tests or testing, or named test_*, *_test.*, *.test.*,
-- caption: *.spec.* or conftest.py.
-- column arm: Arm
-- column files: Files; d
-- column tests: Tests; d
-- column share: Share; .3f
-- column published: Published; .3f
-- column same_cohort: Same cohort
WITH shown AS (
    SELECT
        arm,
        regexp_matches(
            path,
            '(^|/)(tests?|testing)/|(^|/)test_[^/]*$|_test\.[^/.]*$|\.(test|spec)\.[^/.]*$|(^|/)conftest\.py$'
        ) AS is_test
    FROM rankings
    WHERE rank <= 10 AND NOT contains(arm, '@')
)
SELECT
    arm,
    count(*) AS files,
    count_if(is_test) AS tests,
    count_if(is_test) / count(*) AS share,
    value AS published,
    same_cohort
FROM shown
JOIN arms USING (arm)
LEFT JOIN (FROM published WHERE measure = 'test_share_of_10') AS published USING (arm)
GROUP BY arm, position, value, same_cohort
ORDER BY position
