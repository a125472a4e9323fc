"""Pictures of a text: meshes with their blocks, times, rooflines, mesh splits.

Three things that do not know each other: what is drawn (`chart`, `mesh`: plain data, made in `sweep`, `roofline`,
`split`, `layouts`), where it goes (`plotting`, `setting`: marks in pixels), and how it is written (`svg`, `raster`,
`terminal_chart`, `terminal_mesh`). Those of `mesh` need no SymPy.

This imports none of them: two threads whose first calls load different ones would wait for each other.
"""

KINDS = ("mesh", "sweep", "roofline", "split")
