"""The encoding of a file: UTF-8, and of Python files the one that they declare."""

import codecs
import re

# Source: PEP 263, defining Python source code encodings; the line is one of the first two, after a comment at most.
_DECLARED = re.compile(rb"(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]{1,40})")
# Those that Python files are found in: no codec that is slow on long texts, or none of text.
_KNOWN = re.compile(
    r"(?:us-)?ascii|latin-?1|iso-8859-\d{1,2}|(?:cp|windows-)\d{3,4}|koi8-[rtu]|euc-(?:jp|kr)|shift-jis|gbk|gb2312|gb18030|big5"
)
UTF_8 = "utf-8"


def encoding_of(raw: bytes, kind: str | None) -> str:
    """Return the encoding of a file of a kind of document: what a Python file declares, where that is known, else UTF-8."""
    match = _DECLARED.match(raw) if kind == "python" else None
    if match is None:
        return UTF_8
    name = match[1].decode("ascii", "replace").lower().replace("_", "-")
    if _KNOWN.fullmatch(name) is None:
        return UTF_8
    try:
        codecs.lookup(name)
    except LookupError:  # a number that no code page has
        return UTF_8
    return name
