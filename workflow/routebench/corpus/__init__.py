"""Source at a commit, read from the git object database (METHODS C)."""
