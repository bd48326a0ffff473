-- title: Alignment audit
-- caption: Cases whose gold spans all hold the annotated text, and the spans of the {cases} cases
-- caption: by where their text is. Clipped: the annotated end lies past the end of the file.
-- column repo: Repository
-- column cases: Cases; d
-- column aligned: Aligned cases; d
-- column unaligned: Unaligned cases; d
-- column unannotated: Cases without text; d
-- column spans: Spans; d
-- column aligned_spans: Aligned spans; d
-- column elsewhere: Text elsewhere in file; d
-- column not_found: Text not in file; d
-- column unannotated_spans: Spans without text; d
-- column clipped: Clipped spans; d
WITH audited AS (
    SELECT
        case_id,
        count(*) AS spans,
        count_if(alignment = 'aligned') AS aligned_spans,
        count_if(alignment = 'text_elsewhere_in_file') AS elsewhere,
        count_if(alignment = 'text_not_found_in_file') AS not_found,
        count_if(alignment = 'not_annotated') AS unannotated_spans
    FROM spans
    GROUP BY case_id
)
SELECT
    coalesce(repo, 'all') AS repo,
    count(*) AS cases,
    count_if(aligned) AS aligned,
    count_if(NOT aligned) AS unaligned,
    count_if(aligned IS NULL) AS unannotated,
    CAST(sum(spans) AS BIGINT) AS spans,
    CAST(sum(aligned_spans) AS BIGINT) AS aligned_spans,
    CAST(sum(elsewhere) AS BIGINT) AS elsewhere,
    CAST(sum(not_found) AS BIGINT) AS not_found,
    CAST(sum(unannotated_spans) AS BIGINT) AS unannotated_spans,
    CAST(sum(clipped_spans) AS BIGINT) AS clipped
FROM cases
LEFT JOIN audited USING (case_id)
GROUP BY GROUPING SETS ((repo), ())
ORDER BY cases.repo IS NULL, cases.repo
