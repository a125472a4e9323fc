"""What an editor is set to, and what the project of a file says."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from shardlang.api.arguments import CHECK_NAMES, DEFAULTS, read_request
from shardlang.api.project import settings_for, with_layer
from shardlang.api.settings import Setting, settings_in
from shardlang.api.values import OptionError
from shardlang.diagnostics import did_you_mean
from shardlang.pricing.hardware import beside

_HINTS = ("output", "collectives")
_DEFAULTS = {setting.in_editor: setting for setting in settings_in("editor")}
_OF_CLIENT = ("path", "markdown", "trace")  # for the part that runs in the editor
_KNOWN = (*_DEFAULTS, "inlayHints", *_OF_CLIENT)
_UNSET: tuple[Any, ...] = (None, "", [], {}, False)  # what an editor sends for a setting that was not made


class Settings(NamedTuple):
    """defaults: what holds where neither a text nor its project says it. hints: which inlay hints to show."""

    defaults: Mapping[str, Any] = {}
    hints: tuple[str, ...] = _HINTS


def read_settings(value: Any, root: str | None = None) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings in what an editor sends, and what is wrong with the rest of it, which is left out.

    value: the table, or one that has it under `shardlang`. root: the folder that a hardware file is relative to.
    """
    if isinstance(value, Mapping) and isinstance(value.get("shardlang"), Mapping):
        value = value["shardlang"]
    if not isinstance(value, Mapping):
        return Settings(), () if value is None else ("the settings are not a table",)
    problems: list[str] = []
    for key in value:
        if key not in _KNOWN:
            close = did_you_mean(str(key), _KNOWN)
            problems.append(f"there is no setting {key!r}." + (f" Did you mean {close!r}?" if close else ""))
    defaults: dict[str, Any] = {}
    for name, setting in _DEFAULTS.items():
        given = value.get(name)
        if given in _UNSET and type(given) is not int:
            continue
        problem = _problem(setting, given)
        if problem is None:
            defaults[setting.keyword] = given
        else:
            problems.append(problem)
    if root is not None and "hardware" in defaults:
        defaults["hardware"] = beside(defaults["hardware"], root)
    hints = value.get("inlayHints")
    shown = tuple(kind for kind in _HINTS if not isinstance(hints, Mapping) or hints.get(kind, True))
    return Settings(defaults, shown if hints is not False else ()), tuple(problems)


def _problem(setting: Setting, given: Any) -> str | None:
    """Return what is wrong with the value of a setting."""
    if not isinstance(given, setting.types):
        return f"{setting.in_editor} has the wrong type."
    try:
        read_request({DEFAULTS: {setting.keyword: given}}, CHECK_NAMES)
    except OptionError as problem:
        return str(problem)
    return None


def defaults_for(path: str | None, settings: Settings) -> tuple[Mapping[str, Any], str | None]:
    """Return the defaults of a text, and what is wrong with its project.

    The `pyproject.toml` above the file comes before the editor, so that the editor and CI say the same.
    """
    if path is None:
        return settings.defaults, None
    try:
        project = settings_for(path).get(DEFAULTS, {})
        read_request({DEFAULTS: project}, CHECK_NAMES)
    except OptionError as problem:
        return settings.defaults, str(problem)
    return with_layer(settings.defaults, project), None
