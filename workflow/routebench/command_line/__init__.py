"""Commands beside the studies: one question, two results compared."""
