"""Issues with gold: pins, downloads, loaders and cohorts (METHODS D)."""
