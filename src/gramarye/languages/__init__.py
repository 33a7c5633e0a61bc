"""What phenotypes mean to the engine: one file for each language."""

from gramarye.languages.arithmetic import Arithmetic, Programs

__all__ = ["Arithmetic", "Programs"]
