"""Probabilistic Grammatical Evolution (EuroGP 2021): our numbers beside the paper's, and whether they agree."""
