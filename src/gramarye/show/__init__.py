"""Tables, figures and pages, from plain values."""
