"""The figures of an experiment: one file for each kind; each function takes arrays and returns a Matplotlib figure."""
