"""Symbolic regression compared with other packages: `python -m benchmarks.regression --help`."""
