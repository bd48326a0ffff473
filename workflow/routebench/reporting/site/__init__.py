"""The report: one HTML page over the result files of a study, to be opened from disk."""
