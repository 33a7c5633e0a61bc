"""Documents for programs: one module for each kind, with its format, its version and plain values."""
