-- title: Usage and cost
-- caption: Calls, model tokens and cost are means over the {cases} cases, failed ones included;
-- caption: failed and truncated cases, retries, dropped paths (answered, but not in the corpus),
-- caption: runs of a tool with an error beside a usable answer and fallbacks (rankings left in
-- caption: the order of their source because a question had no answer) are totals.
-- column arm: Arm
-- column cases: Cases; d
-- column failures: Failed; d
-- column truncated: Truncated; d
-- column retries: Retries; d
-- column dropped_paths: Dropped paths; d
-- column tool_errors: Tool errors; d
-- column fallbacks: Fallbacks; d
-- column calls: Calls; ,.2f
-- column input_tokens: Input; ,.0f; tokens
-- column output_tokens: Output; ,.0f; tokens
-- column cost: Cost; .6f; USD
SELECT
    arm,
    count(*) AS cases,
    count(error) AS failures,
    count_if(truncated) AS truncated,
    CAST(sum(retries) AS BIGINT) AS retries,
    CAST(sum(dropped_paths) AS BIGINT) AS dropped_paths,
    CAST(sum(tool_errors) AS BIGINT) AS tool_errors,
    CAST(sum(fallbacks) AS BIGINT) AS fallbacks,
    avg(calls) AS calls,
    avg(input_tokens) AS input_tokens,
    avg(output_tokens) AS output_tokens,
    avg(cost_usd) AS cost
FROM operations
JOIN arms USING (arm)
GROUP BY arm, position
ORDER BY position
