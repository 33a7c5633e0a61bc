"""Methods compared on problems: tables, figures, tests and a report."""
