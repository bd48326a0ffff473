"""Configuration, settings files and the inputs of rules."""
