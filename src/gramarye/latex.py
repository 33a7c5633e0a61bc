"""Any text as LaTeX that compiles without packages: what means something there is escaped, what it lacks is named.

Letters that LaTeX lacks may stay as they are, for programs that have fonts with them: XeLaTeX, LuaLaTeX, notebooks.
"""

from __future__ import annotations

import unicodedata


def _table(text: str) -> dict[str, str]:
    """Characters, and behind each what is written for it."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


ESCAPES = _table(r"""
    \ \textbackslash{}  { \{  } \}  $ \$  & \&  % \%  # \#  _ \_  ~ \textasciitilde{}  ^ \textasciicircum{}
    < \textless{}  > \textgreater{}  | \textbar{}  ` \`{}  – --  — ---  ‘ `  ’ '  “ ``  ” ''  … \ldots{}
    ß \ss{}  ø \o{}  Ø \O{}  æ \ae{}  Æ \AE{}  œ \oe{}  Œ \OE{}  ł \l{}  Ł \L{}  ı \i{}
""") | {
    "'": "{'}",  # two of them would become a closing quote
    '"': "{''}",
    "-": "{-}",  # two would become a dash
    "[": "{[}",  # at the start of a row it would be an option of the row before
    "*": "{*}",  # the same
    "©": "(c)",  # its command needs fonts that small installations lack
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
}
MATHS = _table(r"""
    § \S  − -  ± \pm  × \times  · \cdot  ÷ \div  ≤ \leq  ≥ \geq  ≠ \neq  ≈ \approx  ∞ \infty  → \to  ← \leftarrow
    ∈ \in  √ \surd  ∑ \sum  ° ^\circ  ² ^2  ³ ^3  ¹ ^1  ₀ _0  ₁ _1  ₂ _2  ✓ \surd  µ \mu  ε \varepsilon  φ \varphi
    α \alpha  β \beta  γ \gamma  δ \delta  ζ \zeta  η \eta  θ \theta  ι \iota  κ \kappa  λ \lambda  μ \mu  ν \nu
    ξ \xi  π \pi  ρ \rho  σ \sigma  τ \tau  υ \upsilon  χ \chi  ψ \psi  ω \omega
    Γ \Gamma  Δ \Delta  Θ \Theta  Λ \Lambda  Ξ \Xi  Π \Pi  Σ \Sigma  Φ \Phi  Ψ \Psi  Ω \Omega
""")
# Grave, acute, circumflex, tilde, macron, breve, dot, diaeresis, ring, double acute, caron, cedilla
MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
COMMANDS = r"\` \' \^ \~ \= \u \. \" \r \H \v \c"
ACCENTS = dict(zip(MARKS, COMMANDS.split(), strict=True))


def latex_text(text: str, keep_letters: bool = False) -> str:
    """A text that LaTeX prints as it stands."""
    return "".join(_character(c, keep_letters) for c in unicodedata.normalize("NFC", text))


def latex_number(text: str) -> str:
    """A number, its sign and that of its exponent as a minus."""
    return latex_text(text.replace("-", "−"))


def _character(c: str, keep_letters: bool) -> str:
    if c in ESCAPES:
        return ESCAPES[c]
    if c in MATHS:
        return f"${MATHS[c]}$"
    if c.isascii():
        return c
    base, accent = unicodedata.normalize("NFD", c)[:1], unicodedata.normalize("NFD", c)[1:]
    if base.isascii() and accent in ACCENTS:
        return f"{ACCENTS[accent]}{{{base}}}"
    if keep_letters and unicodedata.category(c)[0] in "LMN":
        return c
    return f"{{[}}U+{ord(c):04X}]"  # better than a document that does not compile
