"""What a plan means: run it on a simulated mesh and compare with the dense result.

This imports none of its modules: two threads whose first calls load different ones would wait for each other.
"""
