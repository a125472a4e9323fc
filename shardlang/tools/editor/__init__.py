"""What an editor can ask about a text, without any protocol: offsets and values in, values out.

`analysis.analyse` is the front function: everything else reads the `Analysis` that it returns.
"""
