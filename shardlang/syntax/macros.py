"""LaTeX commands that can stand in a statement."""

# Commands that are a symbol of the notation, by the terminal that they are.
SYMBOLS: dict[str, str] = {
    name: kind
    for kind, names in {
        "DOT": "cdot times bullet ast cdotp centerdot",
        "ODOT": "odot circ",
        "ARROW": "to rightarrow longrightarrow Rightarrow Longrightarrow implies mapsto longmapsto leadsto",
        "ELLIPSIS": "ldots dots cdots dotsc dotsb",
        "LT": "langle",
        "GT": "rangle",
        "LBRACE": "lbrace",
        "RBRACE": "rbrace",
        "LSQB": "lbrack",
        "RSQB": "rbrack",
        "COLON": "colon",
        "SLASH": "div",
        "ROW": "newline cr",
    }.items()
    for name in names.split()
}

# Commands that only make room or change the look of what follows.
BLANK = frozenset(
    "quad qquad enspace thinspace left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr middle displaystyle "
    "textstyle scriptstyle nonumber notag hfill hline noindent limits nolimits allowbreak nobreak "
    "bf rm it sf tt em bfseries itshape ttfamily centering small large Large".split()
)
# Commands whose argument is not part of the statement.
HIDDEN = frozenset("label tag hspace vspace color phantom hphantom vphantom begin end ref eqref cite footnote".split())
# Commands whose first argument is not part of the statement, but the second is.
SECOND = frozenset("textcolor colorbox fcolorbox".split())
# Commands with an argument that is mathematics the notation does not have.
FOREIGN = frozenset(
    "frac dfrac tfrac sqrt binom sum prod int overbrace underbrace overset underset stackrel hat bar tilde vec "
    "widehat overline".split()
)
ARROWS = frozenset("xrightarrow xRightarrow xlongrightarrow xmapsto".split())
FONTS = frozenset(
    "text textbf textit texttt textrm textsf textsc textnormal textup emph mathbf mathrm mathit mathsf mathtt mathcal "
    "mathscr mathbb mathfrak mathnormal boldsymbol bm bold pmb operatorname mbox hbox underline ensuremath".split()
)
GREEK = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell".split()
)
