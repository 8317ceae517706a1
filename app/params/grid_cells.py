"""Trainings of a grid: every combination of the varied settings."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_origin

import msgspec

from app.errors import UserError
from app.params import build_params, command_name, decode_hook
from app.params.flags import plain_type
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import TITLES, unused_fields
from app.params.training.grid import TrainGrid
from app.params.translation import TrainTranslation, TrainTranslationGrid
from app.params.validation import split_validation_error

MAX_CELLS = 200
OPTION_SIGN, ITEM_SIGN = "|", ","  # between two options, and two items of a list
JOINT_SIGN = "&"  # between settings that vary together, and between their values
Grid = TrainGrid | TrainTranslationGrid
Trainable = TrainEncoder | TrainTranslation
FIXED_FIELDS = ("name", "out")  # differ between cells
FORBIDDEN_CHARACTERS = '<>:"/\\|?*'  # in folder names on some systems


class GridCell(NamedTuple):
    """One training of a grid.

    Attributes:
        varied: title of each varied setting → its value, as text.
        params: all settings, with the name of the encoder.
    """

    varied: dict[str, str]
    params: Trainable

    @property
    def title(self) -> str:
        """Return the varied settings, such as "Layers 3, Objectives translation"."""
        return describe_varied(self.varied)


def describe_varied(varied: Mapping[str, str]) -> str:
    """Return varied settings in a line, such as "Layers 3, Objectives translation"."""
    return ", ".join(f"{title} {value}" for title, value in varied.items())


def list_cells(params: Grid) -> list[GridCell]:
    """Return the trainings of a grid; the last setting varies fastest.

    Raises:
        UserError: a line is invalid, a setting or a value is unknown, or there are more
            than 200 combinations.
    """
    axes = [_read_axis(line, trained_by(params)) for line in params.vary]
    fields = [field for axis in axes for field in axis.fields]
    for field in fields:
        if fields.count(field) > 1:
            raise UserError(
                f"The setting {setting_title(field)} is varied twice. Enter all its "
                "values at once."
            )
    combinations = list(itertools.product(*(axis.options for axis in axes)))
    if len(combinations) > MAX_CELLS:
        raise UserError(
            f"The grid has {len(combinations):,} combinations; at most {MAX_CELLS} are "
            "possible. Vary fewer settings."
        )
    return [
        _make_cell(params, dict(zip(fields, itertools.chain(*one), strict=True)), n)
        for n, one in enumerate(combinations, 1)
    ]


def settings_without_effect(cells: Iterable[Trainable]) -> set[str]:
    """Return the settings that have no effect in any of the trainings."""
    unused = [
        unused_fields(msgspec.structs.asdict(cell))
        if isinstance(cell, TrainEncoder)
        else set()
        for cell in cells
    ]
    return set.intersection(*unused) if unused else set()


def fields_of_line(line: str) -> list[str]:
    """Return the settings that a line such as n_layers&dim=1&128|3&256 varies."""
    return _split(line.partition("=")[0].replace("-", "_"), JOINT_SIGN)


def trained_by(params: Grid) -> type[Trainable]:
    """Return the params of one training of a grid."""
    is_translation = isinstance(params, TrainTranslationGrid)
    return TrainTranslation if is_translation else TrainEncoder


def setting_title(field: str) -> str:
    """Return the title of a setting, as in a training's form."""
    return TITLES.get(field, field.replace("_", " ").capitalize())


def varied_fields(struct: type[Trainable]) -> Iterator[str]:
    """Return the settings that a grid of these trainings can vary."""
    yield from (one for one in struct.__struct_fields__ if one not in FIXED_FIELDS)


def find_option_problem(struct: type[Trainable], field: str, text: str) -> str:
    """Return why a setting can't have a value; empty: the value is valid."""
    title = setting_title(field)
    if OPTION_SIGN in text or JOINT_SIGN in text:
        return f"{title}: a value can't contain {OPTION_SIGN} or {JOINT_SIGN}."
    infos = {info.name: info for info in msgspec.structs.fields(struct)}
    if field not in infos:
        return f"{title} can't be varied."
    value = _read_option(text, _types(struct)[field])
    try:
        msgspec.convert(value, infos[field].type, dec_hook=decode_hook, strict=False)
    except msgspec.ValidationError as error:
        _, why = split_validation_error(str(error))
        return f"{title} {text}".strip() + f": {why}."
    return ""


class _Axis(NamedTuple):
    """Settings that vary together, and their values for each option."""

    fields: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]


def _read_axis(line: str, struct: type[Trainable]) -> _Axis:
    """Return the fields and options of n_layers=1|3|5 or n_layers&dim=1&128|3&256."""
    _, sign, text = line.partition("=")
    fields = tuple(fields_of_line(line))
    texts = dict.fromkeys(_split(text, OPTION_SIGN))
    options = tuple(tuple(_split(one, JOINT_SIGN)) for one in texts)
    if not sign or not text.strip():
        raise UserError(
            f"{line!r} is not a setting with its values. Write SETTING=VALUE|VALUE, "
            "such as n_layers=1|3|5."
        )
    for field in fields:
        if field not in varied_fields(struct):
            raise UserError(
                f"{field!r} is not a setting of a training that can be varied. Use the "
                f"name of an option of {command_name(struct)}, such as n_layers."
            )
    titles = " & ".join(map(setting_title, fields))
    for option in options:
        if len(option) != len(fields):
            raise UserError(
                f"{titles!r} has {len(fields)} settings, but {len(option)} values in "
                f"{' & '.join(option)!r}. Separate the values of settings that change "
                "together by &."
            )
    return _Axis(fields, options)


def _split(text: str, sign: str) -> list[str]:
    return [part.strip() for part in text.split(sign)]


def _make_cell(params: Grid, options: dict[str, str], number: int) -> GridCell:
    struct = trained_by(params)
    types = _types(struct)
    varied = {
        setting_title(field): _describe_option(field, text, types[field])
        for field, text in options.items()
    }
    own = {name: getattr(params, name) for name in struct.__struct_fields__}
    chosen = {
        field: _read_option(text, types[field]) for field, text in options.items()
    }
    name = f"{params.name} {number} ({describe_varied(varied)})"
    plain = "".join("-" if one in FORBIDDEN_CHARACTERS else one for one in name)
    values = own | chosen | {"name": plain[:100].strip(), "out": None}
    try:
        cell: Trainable = build_params(struct, values)
    except msgspec.ValidationError as error:
        field, why = split_validation_error(str(error))
        value = f"{setting_title(field)} {options.get(field, '')}".strip()
        raise UserError(f"{value}: {why}.") from error
    return GridCell(varied, cell)


def _read_option(text: str, plain: Any) -> Any:
    """Return the value of an option, which the struct validates."""
    if get_origin(plain) is tuple:
        return [one.strip() for one in text.split(ITEM_SIGN) if one.strip()]
    if plain is bool:
        return text.lower() in ("yes", "true", "1")
    return text


def _describe_option(field: str, text: str, plain: Any) -> str:
    """Return an option's text in tables: files without folder and extension."""
    items = text.split(ITEM_SIGN) if get_origin(plain) is tuple else [text]
    if field in ("pairs", "nli", "documents", "conversations", "kept_out"):
        items = [Path(one.strip()).name.partition(".")[0] for one in items]
    return " + ".join(one.strip() for one in items) or "–"


def _types(struct: type[Trainable]) -> dict[str, Any]:
    fields = msgspec.structs.fields(struct)
    return {field.name: plain_type(field.type)[0] for field in fields}
