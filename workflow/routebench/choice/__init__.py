"""Choice models and their recorded answers (METHODS M)."""
