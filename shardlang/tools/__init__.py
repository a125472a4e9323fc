"""Ways in for other programs: the language server (`lsp`), lexers for highlighters (`colouring`)."""
