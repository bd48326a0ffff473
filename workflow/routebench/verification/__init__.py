"""Published numbers beside ours (METHODS P)."""
