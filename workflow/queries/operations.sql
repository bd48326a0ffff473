-- title: Time per case
-- caption: Milliseconds over the {cases} cases, failed ones included. Build: preparing the index
-- caption: or the files; query: answering the issue; wall: the whole case. p95: the element
-- caption: at 0.95 of the sorted times, rounded down.
-- column arm: Arm
-- column build_mean: Build mean; ,.1f; ms
-- column build_median: Build median; ,.1f; ms
-- column build_p95: Build p95; ,.1f; ms
-- column query_mean: Query mean; ,.1f; ms
-- column query_median: Query median; ,.1f; ms
-- column query_p95: Query p95; ,.1f; ms
-- column wall_mean: Wall mean; ,.1f; ms
-- column wall_median: Wall median; ,.1f; ms
-- column wall_p95: Wall p95; ,.1f; ms
SELECT
    arm,
    avg(build_ms) AS build_mean,
    median(build_ms) AS build_median,
    lower_quantile(build_ms, 0.95) AS build_p95,
    avg(query_ms) AS query_mean,
    median(query_ms) AS query_median,
    lower_quantile(query_ms, 0.95) AS query_p95,
    avg(wall_ms) AS wall_mean,
    median(wall_ms) AS wall_median,
    lower_quantile(wall_ms, 0.95) AS wall_p95
FROM operations
JOIN arms USING (arm)
GROUP BY arm, position
ORDER BY position
