"""The contract with programs that embed shardlang: its surface, its state, and what it leaves alone.

`docs/contract.md` says what is stable, and these tests hold the package against it and against lists written by hand.
"""
