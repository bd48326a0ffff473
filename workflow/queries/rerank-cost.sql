-- title: Cost of reranking
-- caption: Totals over {cases} cases, failed ones included; fallbacks are cases left in the
-- caption: order of the shortlist because a question had no answer. (p): as published.
-- column arm: Arm
-- column cases: Cases; d
-- column failures: Failed; d
-- column fallbacks: Fallbacks; d
-- column calls: Requests; ,d
-- column published_calls: Requests (p); ,.0f
-- column input_tokens: Input; ,d; tokens
-- column published_input: Input (p); ,.0f; tokens
-- column output_tokens: Output; ,d; tokens
-- column published_output: Output (p); ,.0f; tokens
-- column cost: Cost; .4f; USD
-- column same_cohort: Same cohort
WITH spent AS (
    SELECT
        arm,
        count(*) AS cases,
        count(error) AS failures,
        CAST(sum(fallbacks) AS BIGINT) AS fallbacks,
        CAST(sum(calls) AS BIGINT) AS calls,
        CAST(sum(input_tokens) AS BIGINT) AS input_tokens,
        CAST(sum(output_tokens) AS BIGINT) AS output_tokens,
        sum(cost_usd) AS cost
    FROM operations
    GROUP BY arm
),
printed AS (
    SELECT
        arm,
        first(value) FILTER (measure = 'calls') AS published_calls,
        first(value) FILTER (measure = 'input_tokens') AS published_input,
        first(value) FILTER (measure = 'output_tokens') AS published_output,
        first(same_cohort) AS same_cohort
    FROM published
    WHERE measure IN ('calls', 'input_tokens', 'output_tokens')
    GROUP BY arm
)
SELECT
    arm,
    cases,
    failures,
    fallbacks,
    calls,
    published_calls,
    input_tokens,
    published_input,
    output_tokens,
    published_output,
    cost,
    same_cohort
FROM spent
JOIN arms USING (arm)
LEFT JOIN printed USING (arm)
WHERE kind = 'rerank'
ORDER BY position
