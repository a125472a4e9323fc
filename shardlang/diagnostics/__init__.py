"""Findings as data: a stable code, a place, a message, and fixes that have been checked.

A finding knows nothing of how it is shown; `shardlang.reports` renders it.
"""

from shardlang.diagnostics.codes import CODES, code_page, readable_page
from shardlang.diagnostics.finding import Diagnostic, Edit, Fix, Label, Price
from shardlang.diagnostics.suggest import did_you_mean

__all__ = ["CODES", "Diagnostic", "Edit", "Fix", "Label", "Price", "code_page", "did_you_mean", "readable_page"]
