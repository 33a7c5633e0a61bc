"""Arithmetic expressions."""

from gramarye.languages.arithmetic.language import Arithmetic

__all__ = ["Arithmetic"]
