"""Any text as LaTeX that compiles without packages: what means something there is escaped, what it lacks is named."""

from __future__ import annotations

import unicodedata

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\`{}",
    "'": "{'}",  # two of them would become a closing quote
    '"': "{''}",
    "-": "{-}",  # two would become a dash
    "[": "{[}",  # at the start of a row it would be an option of the row before
    "*": "{*}",  # the same
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "©": "(c)",  # its command needs fonts that small installations lack
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
}
MATHS = {
    "§": r"\S",
    "−": "-",
    "±": r"\pm",
    "×": r"\times",
    "·": r"\cdot",
    "÷": r"\div",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "∞": r"\infty",
    "→": r"\to",
    "←": r"\leftarrow",
    "∈": r"\in",
    "√": r"\surd",
    "∑": r"\sum",
    "°": r"^\circ",
    "²": "^2",
    "³": "^3",
    "¹": "^1",
    "₀": "_0",
    "₁": "_1",
    "₂": "_2",
    "✓": r"\surd",
    "µ": r"\mu",
    "ε": r"\varepsilon",
    "φ": r"\varphi",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ζ": r"\zeta",
    "η": r"\eta",
    "θ": r"\theta",
    "ι": r"\iota",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "μ": r"\mu",
    "ν": r"\nu",
    "ξ": r"\xi",
    "π": r"\pi",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "τ": r"\tau",
    "υ": r"\upsilon",
    "χ": r"\chi",
    "ψ": r"\psi",
    "ω": r"\omega",
    "Γ": r"\Gamma",
    "Δ": r"\Delta",
    "Θ": r"\Theta",
    "Λ": r"\Lambda",
    "Ξ": r"\Xi",
    "Π": r"\Pi",
    "Σ": r"\Sigma",
    "Φ": r"\Phi",
    "Ψ": r"\Psi",
    "Ω": r"\Omega",
}
ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030a": r"\r",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0327": r"\c",
}


def latex_text(text: str) -> str:
    """A text that LaTeX prints as it stands."""
    return "".join(_character(c) for c in unicodedata.normalize("NFC", text))


def latex_number(text: str) -> str:
    """A number, its sign and that of its exponent as a minus."""
    return latex_text(text.replace("-", "−"))


def _character(c: str) -> str:
    if c in ESCAPES:
        return ESCAPES[c]
    if c in MATHS:
        return f"${MATHS[c]}$"
    if c.isascii():
        return c
    base, accent = unicodedata.normalize("NFD", c)[:1], unicodedata.normalize("NFD", c)[1:]
    if base.isascii() and accent in ACCENTS:
        return f"{ACCENTS[accent]}{{{base}}}"
    return f"{{[}}U+{ord(c):04X}]"  # better than a document that does not compile
