"""What a view connects to objects that live longer ends with the view."""

import ast
from collections.abc import Iterator
from pathlib import Path

VIEWS = Path(__file__).resolve().parents[2] / "app" / "views"
# Names of objects that outlive a view: Qt ends the connections of bound methods with
# the view, but those of lambdas and local functions only with the sender.
LASTING = {
    *("state", "_state", "client", "_client", "encoders", "_encoders", "labels"),
    *("_labels", "changes", "application", "theme", "_theme"),
}
OWN = {"app/views/shell/application.py", "app/views/widgets/project_actions.py"}


def test_only_bound_methods_are_connected_to_objects_that_outlive_a_view() -> None:
    found = [
        f"{file.relative_to(VIEWS.parents[1]).as_posix()}:{call.lineno}"
        for file in sorted(VIEWS.rglob("*.py"))
        for call in connections(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert [place for place in found if place.split(":")[0] not in OWN] == []


def connections(tree: ast.Module) -> Iterator[ast.Call]:
    """Find the calls that connect a function of no object to a lasting sender."""
    for call in ast.walk(tree):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "connect"
            and call.args
            and isinstance(call.args[0], ast.Lambda | ast.Name | ast.Call)
            and LASTING & set(ast.unparse(call.func.value).split("."))
        ):
            yield call


def test_the_check_finds_a_lambda() -> None:
    tree = ast.parse("self._state.run_failed.connect(lambda run, error: self.end(run))")
    assert len(list(connections(tree))) == 1
