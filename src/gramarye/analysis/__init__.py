"""Locality and redundancy: what a small change of a genotype does to the program that it stands for."""
