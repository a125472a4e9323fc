"""Lexers for highlighters: one for Pygments, and the TextMate grammar that editors read, both from the terminals of the grammar."""
