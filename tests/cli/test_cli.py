"""The command line: flags from structs, JSON alone on stdout, exit codes."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec
import pytest
from msgspec import inspect

from app.cli.main import build_parser
from app.engine.project.project import create_project, open_read_only
from app.engine.store.runs import read_measurements
from app.params import ALL_PARAMS, build_params, command_name
from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.params.flags import command_text, plain_type
from app.params.vectors import Encode
from app.params.words import Concordance
from app.results.measurements import Probed
from tests.engine.encoders.tiny import save_tiny
from tests.engine.probing.made import make_file


def _types_within(one: Any) -> Iterator[Any]:
    yield one
    if isinstance(one, inspect.Metadata):
        yield from _types_within(one.type)
    elif isinstance(one, inspect.UnionType):
        for part in one.types:
            yield from _types_within(part)
    elif isinstance(one, inspect.VarTupleType):
        yield from _types_within(one.item_type)


def run_cli(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    environment = os.environ | {
        "PYTHONPATH": str(root),
        "ISOGLOSS_DATA": str(cwd / "data"),
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_a_refused_option_is_named_as_it_stands_on_the_line(tmp_path: Path) -> None:
    done = run_cli("report", "x", "--run", "0", "--out", "x.html", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "isogloss make-report: --run: it must be at least 1\n"


def test_every_task_has_its_command() -> None:
    text = build_parser().format_help()
    for params_type in ALL_PARAMS:
        assert command_name(params_type) in text


@pytest.mark.parametrize("params_type", ALL_PARAMS, ids=command_name)
def test_every_choice_of_a_field_is_a_choice_of_its_option(
    params_type: type[TaskParams],
) -> None:
    for field in msgspec.structs.fields(params_type):
        wanted: tuple[object, ...] = ()
        for node in _types_within(inspect.type_info(field.type)):
            wanted += node.values if isinstance(node, inspect.LiteralType) else ()
        plain, _ = plain_type(field.type)
        given = get_args(plain)[0] if get_origin(plain) is tuple else plain
        assert set(get_args(given)) >= set(wanted)


def test_new_makes_a_project_and_prints_one_object(tmp_path: Path) -> None:
    done = run_cli("new", "mein Projekt.isogloss", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"project": "mein Projekt.isogloss"}
    assert (tmp_path / "mein Projekt.isogloss" / "project.sqlite").is_file()


def test_a_user_error_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    done = run_cli("search", "nowhere", "--text", "x", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("isogloss: nowhere is not an Isogloss project")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "p"),
        ("search", "p", "--text", "x", "--k", "0"),
        ("search", "p", "--text", "x", "--k", "many"),
        ("serch", "p"),
        ("tour", "--out", "t", "--text-size", "20"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run_cli(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_bound_is_named_with_its_option(tmp_path: Path) -> None:
    done = run_cli("search", "p", "--text", "x", "--k", "0", cwd=tmp_path)
    assert "--k" in done.stderr
    assert "at least 1" in done.stderr


def test_the_copied_command_gives_the_same_params_back() -> None:
    params = build_params(
        ImportCorpus,
        {
            "files": ["näin on.en", "x.fr"],
            "languages": ["en", "fr"],
            "format": "moses",
            "split": True,
        },
    )
    words = shlex.split(command_text(params, Path("my project")))
    assert words[:3] == ["python", "-m", "app"]
    options = vars(build_parser().parse_args(words[3:]))
    assert options.pop("command") == "import-corpus"
    assert options.pop("project") == Path("my project")
    assert build_params(ImportCorpus, options) == params


def test_options_with_several_values_are_repeated() -> None:
    options = vars(
        build_parser().parse_args(["encode", "P", "--corpus", "a", "--corpus", "b"])
    )
    assert options["corpora"] == ["a", "b"]
    assert command_text(Encode(corpora=("a", "b c")), Path("P")).endswith(
        "encode P --corpus a --corpus 'b c'"
    )


@pytest.mark.parametrize("text", ["-heit", "--x", "-1", "$(a) `b`", "a\nb"])
def test_a_command_says_again_what_looks_like_an_option(text: str) -> None:
    params = Concordance(text=text, corpora=(text,), mode="regex", save=text)
    words = shlex.split(command_text(params, Path("P")))[3:]
    options = vars(build_parser().parse_args(words))
    del options["command"], options["project"]
    assert build_params(Concordance, options) == params


def test_bytes_that_are_no_utf_8_are_told_of_with_their_option(tmp_path: Path) -> None:
    done = run_cli("collocates", "p", "--text", "a\udc80", cwd=tmp_path)
    assert done.returncode == 1
    assert "--text: 'a\\udc80' is not valid UTF-8" in done.stderr


def test_a_short_name_is_the_same_command() -> None:
    words = ["P", "--source", "a", "--target", "b"]
    short, long = (
        vars(build_parser().parse_args([name, *words]))
        for name in ("mine", "mine-pairs")
    )
    assert short == long


def test_a_command_takes_the_lock_and_names_the_holder(tmp_path: Path) -> None:
    with create_project(tmp_path / "p", holder="the test"):
        done = run_cli("encode", "p", "--corpus", "a", cwd=tmp_path)
    assert done.returncode == 1
    assert "in use by the test" in done.stderr


def test_sigterm_ends_a_command_in_a_sentence(tmp_path: Path) -> None:
    """Checked over a command that tells itself to end, so that nothing is timed."""
    program = (
        "import signal, sys, app.cli.main as cli\n"
        "cli._COMMANDS['new'] = lambda *_: signal.raise_signal(signal.SIGTERM)\n"
        "sys.exit(cli.main(['new', 'p']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (143, "")
    assert done.stderr == "isogloss: cancelled by SIGTERM\n"


ENDED = """
import signal, sys
from app.cli import main as cli
from app.engine.probing.experiment import ProbeExperiment

measure, measured = ProbeExperiment.measure, []

def _measure(experiment, *rest):
    measured.append(experiment.prepared.probing_set.name)
    if measured == ["one.tsv", "two.tsv"]:
        signal.raise_signal(signal.SIGTERM)
    return measure(experiment, *rest)

ProbeExperiment.measure = _measure
command = ["probe", "--project", "p", "--data", "one.tsv", "--data", "two.tsv"]
options = ["--encoder", "tiny", "--seeds", "1", "--no-control", "--no-baselines"]
ends = [cli.main([*command, *options]) for _ in range(2)]
print(ends, *measured, file=sys.stderr)
"""


def test_a_probe_that_was_ended_goes_on_after_the_files_that_are_done(
    tmp_path: Path,
) -> None:
    files = ("one.tsv", "two.tsv")
    for name in files:
        make_file(tmp_path / name)
    save_tiny(tmp_path / "tiny")
    create_project(tmp_path / "p").close()
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", ENDED],
        cwd=tmp_path,
        env=os.environ | environment | {"ISOGLOSS_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
    )
    told = done.stderr.splitlines()
    assert "isogloss: cancelled by SIGTERM" in told
    assert "isogloss: resuming run 1" in told
    assert told[-1] == "[143, 0] one.tsv two.tsv two.tsv"
    with open_read_only(tmp_path / "p") as project:
        rows = read_measurements(project.store, 1)
    assert [isinstance(row, Probed) and row.data for row in rows] == list(files)
