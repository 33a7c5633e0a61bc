"""Runs: problem and method bound once, the loop, its state, and what a run leaves behind."""
