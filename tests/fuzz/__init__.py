"""Texts that nobody would write, put through everything that reads them: `python -m tests.fuzz N SEED`."""
