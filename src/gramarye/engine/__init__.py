"""Runs: problem and method bound once, the loop, its state, and what a run leaves behind."""

from gramarye.engine.loop import start as start
from gramarye.engine.loop import step as step
from gramarye.engine.setup import Setup as Setup
