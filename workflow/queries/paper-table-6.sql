-- title: Alignment audit of the annotated spans
-- caption: Table 6 of the paper. Where the annotated text of the gold spans of the {cases} cases
-- caption: is in the source at the base commit; the places are not causes.
-- column result: Span result
-- column spans: Count; d
WITH named (alignment, label, place) AS (
    VALUES
        ('aligned', 'Aligned at annotated range', 1),
        ('text_elsewhere_in_file', 'Annotated text elsewhere in same file', 2),
        ('text_not_found_in_file', 'Annotated text not found in same file', 3)
)
SELECT label AS result, count(case_id) AS spans
FROM named
LEFT JOIN (FROM spans SEMI JOIN cases USING (case_id)) USING (alignment)
GROUP BY label, place
ORDER BY place
