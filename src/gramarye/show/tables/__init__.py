"""Tables of results: in the terminal, as CSV, LaTeX, Markdown and HTML."""
