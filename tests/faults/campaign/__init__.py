"""The fault campaign: tables of hostile and damaged inputs, and what must come of each."""
