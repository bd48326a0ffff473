-- title: Gold files of one arm alone
-- caption: Gold files in the first k candidates of an arm, those that no comparator has there,
-- caption: and the cases with such a file, over {cases} cases.
-- column arm: Arm
-- column comparators: Comparators
-- column k: k; d
-- column gold_files: Gold files; d
-- column gold_found: Found; d
-- column micro_recall: Micro recall; .3f
-- column unique_gold: Found alone; d
-- column unique_cases: Cases; d
SELECT
    arm,
    array_to_string(comparators, ', ') AS comparators,
    k,
    gold_files,
    gold_found,
    micro_recall,
    unique_gold,
    unique_cases
FROM "overlaps" AS found
LEFT JOIN arms USING (arm)
ORDER BY position, arm, k, len(found.comparators), found.comparators
