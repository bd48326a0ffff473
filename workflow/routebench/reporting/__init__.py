"""Tables, figures and summaries from the result files."""
