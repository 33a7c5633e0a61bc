"""Arithmetic expressions."""

from gramarye.languages.arithmetic.language import Arithmetic, Programs

__all__ = ["Arithmetic", "Programs"]
