"""The command line: one sub-command per params struct, result as JSON on stdout."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Literal, get_args, get_origin

import msgspec

from app import VERSION
from app.cli.terminal import TerminalSink, Terminated, interruptible, terminable
from app.errors import Cancelled, UserError, describe_error
from app.params import ALL_PARAMS, build_params, command_name
from app.params.base import TaskParams
from app.params.flags import option_name, plain_type
from app.params.validation import split_validation_error

EXIT_USAGE, EXIT_CANCELLED, EXIT_TERMINATED = 2, 130, 143
_SURROGATE = re.compile("[\ud800-\udfff]")  # Python's representation of invalid bytes
EXIT_CODES = {"user": 1, "unsafe": 1, "resource": 3, "bug": 70}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = build_parser()
    options = vars(parser.parse_args(arguments))
    command = options.pop("command")
    out = _reserve_stdout()
    try:
        with terminable():
            result = _COMMANDS.get(command, _run_task)(command, options, parser)
        out.write(msgspec.json.encode(result) + b"\n")  # NaN becomes null
        out.flush()
    except Terminated:
        print("isogloss: cancelled by SIGTERM", file=sys.stderr)
        return EXIT_TERMINATED
    except (Cancelled, KeyboardInterrupt):
        print("isogloss: cancelled", file=sys.stderr)
        return EXIT_CANCELLED
    except Exception as error:  # noqa: BLE001 - a boundary: every error becomes a line and an exit code
        info = describe_error(error)
        print(f"isogloss: {info.message}", file=sys.stderr)
        if info.kind == "bug":
            print(info.traceback, file=sys.stderr)
        return EXIT_CODES[info.kind]
    return 0


def build_parser() -> argparse.ArgumentParser:
    """Build the parser from the params structs."""
    parser = argparse.ArgumentParser(
        prog="isogloss",
        description="A desktop workbench for multilingual sentence embeddings. "
        "Without a command, the window opens; with a project folder, it opens the "
        "project.",
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    new = commands.add_parser("new", help="Create an empty project.")
    new.add_argument("project", type=Path, metavar="P", help="Folder to create.")
    tour = commands.add_parser(
        "tour", help="Save a picture of every view over the demo project."
    )
    tour.add_argument("--out", type=Path, required=True, help="Output folder.")
    tour.add_argument(
        "--scene",
        action="append",
        default=[],
        help="Only pictures whose names start with this, such as classify; repeatable.",
    )
    tour.add_argument(
        "--theme",
        choices=("light", "dark"),
        help="Only pictures in this theme. Default: both.",
    )
    tour.add_argument(
        "--text-size",
        type=int,
        default=100,
        choices=range(75, 251),
        metavar="PERCENT",
        help="Size of the text in %%, 75 to 250.",
    )
    commands.add_parser("demo", help="Run the demo in the terminal.")
    for params_type in ALL_PARAMS:
        _add_task(commands, params_type)
    return parser


def _add_task(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    params_type: type[TaskParams],
) -> None:
    text = (params_type.__doc__ or "").strip().splitlines()[0]
    name = command_name(params_type)
    parser = commands.add_parser(
        name,
        aliases=params_type.aliases,
        help=text,
        description=text,
        allow_abbrev=False,
    )
    parser.set_defaults(command=name)
    if params_type.needs_project:
        parser.add_argument("project", type=Path, metavar="P", help="Project folder.")
    else:
        parser.add_argument(
            "--project", type=Path, metavar="P", help="Project to run in."
        )
    for field in msgspec.structs.fields(params_type):
        _add_option(parser, field)


def _add_option(
    parser: argparse.ArgumentParser, field: msgspec.structs.FieldInfo
) -> None:
    plain, help_text = plain_type(field.type)
    options: dict[str, Any] = {
        "dest": field.name,
        "default": argparse.SUPPRESS,
        "required": field.required,
        "help": help_text,
    }
    if plain is bool:
        options["action"] = (
            argparse.BooleanOptionalAction if field.default is True else "store_true"
        )
        options.pop("required")
    elif get_origin(plain) is tuple:
        options |= {"action": "append", "type": str, "metavar": "X"}
        if get_origin(item := get_args(plain)[0]) is Literal:
            options |= {"choices": get_args(item), "metavar": None}
    elif get_origin(plain) is Literal:
        options["choices"] = get_args(plain)
    else:
        options |= {"type": plain, "metavar": plain.__name__.upper()}
    if not field.required and field.default not in ("", (), None, False):
        options["help"] += f" Default: {field.default}."
    parser.add_argument(f"--{option_name(field)}", **options)


def _run_task(
    command: str, options: dict[str, Any], parser: argparse.ArgumentParser
) -> dict[str, Any]:
    from app.engine.edits.encoders import keep_encoder
    from app.engine.project.project import back_up, open_project, open_read_only
    from app.engine.project.runs import (
        RecordingSink,
        call_task,
        find_interrupted,
        perform_run,
        queue_run,
    )
    from app.engine.runtime.report import Report

    params_type = next(t for t in ALL_PARAMS if command_name(t) == command)
    folder = options.pop("project", None)
    try:
        params = build_params(params_type, options)
    except msgspec.ValidationError as error:
        sentence = _usage_sentence(params_type, error)
        parser.exit(EXIT_USAGE, f"isogloss {command}: {sentence}\n")
    _check_text(params)
    sink = TerminalSink()
    if folder is None:
        report = Report(sink)
        with interruptible(report):
            return call_task(None, params, report)
    if params_type.needs_project and not params.holds_lock:
        with open_read_only(folder) as project:
            keep_encoder(project)
            report = Report(sink)
            with interruptible(report):
                return call_task(project, params, report)
    with open_project(folder, holder=f"the command {command}") as project:
        back_up(project.folder)
        keep_encoder(project)
        ended = find_interrupted(project, params)
        if ended is not None:
            print(f"isogloss: resuming run {ended}", file=sys.stderr)
        run = queue_run(project, params, resume=ended)
        report = Report(RecordingSink(project, run, sink), run=run)
        with interruptible(report):
            return perform_run(project, params, report)


def _usage_sentence(
    params_type: type[TaskParams], error: msgspec.ValidationError
) -> str:
    """Return a sentence with the invalid option and the reason."""
    refused, why = split_validation_error(str(error))
    for field in msgspec.structs.fields(params_type):
        if field.name == refused:
            return f"--{option_name(field)}: {why}"
    return why


def _check_text(params: TaskParams) -> None:
    """Raise a UserError for text that is not UTF-8, which no answer can contain."""
    for field in msgspec.structs.fields(params):
        value = getattr(params, field.name)
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and _SURROGATE.search(text):
                raise UserError(
                    f"--{option_name(field)}: {text!r} is not valid UTF-8. Type it "
                    "again, or set the terminal to UTF-8."
                )


def _new(
    command: str, options: dict[str, Any], parser: argparse.ArgumentParser
) -> dict[str, Any]:
    from app.engine.project.project import create_project

    with create_project(options["project"]) as project:
        return {"project": str(project.folder)}


def _tour(
    command: str, options: dict[str, Any], parser: argparse.ArgumentParser
) -> dict[str, Any]:
    from app.tour.driver import main as run_tour
    from app.tour.recorder import SCHEMES

    schemes = (options["theme"],) if options["theme"] else SCHEMES
    scenes = tuple(options["scene"])
    return run_tour(options["out"], scenes, schemes, text_scale=options["text_size"])


def _demo(
    command: str, options: dict[str, Any], parser: argparse.ArgumentParser
) -> dict[str, Any]:
    from app.cli.demo import main as run_demo

    return run_demo()


_COMMANDS = {"new": _new, "tour": _tour, "demo": _demo}


def _reserve_stdout() -> IO[bytes]:
    """Reserve stdout for the result; output of libraries goes to stderr."""
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out
