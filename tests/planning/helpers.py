"""Planning from text, without the API: what tests of this floor need."""

from shardlang.planning import Settings, plan
from shardlang.rules.plan import Plan
from shardlang.semantics import Options, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse


def plan_of(
    text: str, mesh: dict[str, int | None] | None = None, settings: Settings = Settings(), **sizes: int
) -> Plan:
    """Return the plan of a text; every finding of the floors below must be absent or harmless."""
    module, syntax_findings = parse(SourceText(text))
    program, meaning_findings = resolve(module, Options(mesh=mesh, sizes=sizes))
    errors = [finding for finding in (*syntax_findings, *meaning_findings) if finding.severity == "error"]
    assert not errors, errors
    return plan(program, settings)


def steps_of(text: str, mesh: dict[str, int | None] | None = None, **sizes: int) -> list[str]:
    """Return the texts of all steps but the local operations, in order."""
    made = plan_of(text, mesh, **sizes)
    errors = [finding.message for finding in made.diagnostics if finding.severity == "error"]
    assert not errors, errors
    local = ("Einsum", "Elementwise", "Reduce", "Reshape")
    return [step.text for entry in made.statements for step in entry.steps if step.kind not in local]


def codes_of(text: str, mesh: dict[str, int | None] | None = None, **sizes: int) -> list[str]:
    """Return the codes of what planning finds."""
    return [finding.code for finding in plan_of(text, mesh, **sizes).diagnostics]
