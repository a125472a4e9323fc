"""Prices of plans as formulas: times, roofs, memory, crossovers. The only room at or below it with SymPy.

This imports none of its modules: two threads whose first calls load different ones would wait for each other.
"""
