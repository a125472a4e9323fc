"""Ways in for other programs: the language server, lexers for highlighters, the pytest plugin, the notebook magic.

Each is imported by the program that it is for, and by nothing else but the command that starts it.
"""
