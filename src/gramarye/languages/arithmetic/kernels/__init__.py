"""Compiled code of arithmetic expressions, loaded when first used."""

from gramarye.kernels import loader

__getattr__ = loader(__name__)
