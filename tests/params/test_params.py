"""Params: the one declaration of a task keeps its conventions and its round trip."""

from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import inspect

from app.engine.project.runs import import_task
from app.params import (
    ALL_PARAMS,
    Params,
    build_params,
    command_name,
    params_from_json,
    params_to_json,
)
from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.params.training.encoder import TrainEncoder
from app.params.vectors import Search
from tests.strategies import values_of

each_task = pytest.mark.parametrize("params_type", ALL_PARAMS, ids=command_name)
FIELDS = [
    pytest.param(field, id=f"{command_name(params_type)}.{field.name}")
    for params_type in ALL_PARAMS
    for field in msgspec.structs.fields(params_type)
]
each_field = pytest.mark.parametrize("field", FIELDS)


@each_task
def test_every_task_is_a_function_in_the_file_of_its_name(
    params_type: type[TaskParams],
) -> None:
    words = [word.lower() for word in _split_words(params_type.__name__)]
    assert command_name(params_type) == "-".join(words)
    assert find_spec(f"app.engine.tasks.{'_'.join(words)}") is not None
    assert list(signature(import_task(params_type)).parameters) == [
        "project",
        "params",
        "report",
    ]


@each_task
def test_every_task_says_in_one_sentence_what_it_does(
    params_type: type[TaskParams],
) -> None:
    first = (params_type.__doc__ or "").strip().splitlines()[0]
    assert first.endswith(".")
    assert params_type.__struct_config__.frozen


@each_task
def test_the_output_of_every_task_is_a_path(params_type: type[TaskParams]) -> None:
    hints = get_type_hints(params_type)
    assert hints.get("out", Path) in (Path, Path | None)  # as output_of declares it


@each_field
def test_every_field_says_what_it_is(field: msgspec.structs.FieldInfo) -> None:
    (description,) = [
        meta.description
        for meta in getattr(field.type, "__metadata__", ())
        if isinstance(meta, msgspec.Meta) and meta.description
    ]
    assert description.endswith(".")


@each_field
def test_every_number_is_bounded_and_every_default_is_within(
    field: msgspec.structs.FieldInfo,
) -> None:
    info = inspect.type_info(field.type)
    while isinstance(info, inspect.Metadata):
        info = info.type
    if isinstance(info, inspect.IntType | inspect.FloatType):
        bounds = (info.ge, info.gt, info.le, info.lt)
        assert any(bound is not None for bound in bounds)
    if not field.required and field.default is not None:
        plain = msgspec.to_builtins(field.default)
        assert msgspec.convert(plain, type=field.type) == field.default


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(values_of(Params))
def test_params_come_back_from_the_record_as_they_were(params: TaskParams) -> None:
    assert params_from_json(params_to_json(params)) == params


@settings(max_examples=50, deadline=None)
@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_a_path_of_any_letters_comes_back(name: str) -> None:
    params = ImportCorpus(files=(Path(name),), languages=("en",))
    back = params_from_json(params_to_json(params))
    assert back.files == (Path(name),)
    assert isinstance(back.files[0], Path)


def test_a_file_name_that_is_not_utf8_is_not_recorded() -> None:
    params = ImportCorpus(files=(Path("caf\udce9.txt"),), languages=("fr",))
    with pytest.raises(UnicodeEncodeError):
        params_to_json(params)


@pytest.mark.parametrize(
    ("params_type", "values", "place"),
    [
        (Search, {"text": "tea", "k": 0}, "k"),
        (Search, {"text": "tea", "k": "many"}, "k"),
        (Search, {"text": ""}, "text"),
        (Search, {"text": "tea", "languages": [7]}, "languages"),
        (ImportCorpus, {"files": [], "languages": ["en"]}, "files"),
        (
            ImportCorpus,
            {"files": ["a"], "languages": ["en"], "format": "doc"},
            "format",
        ),
        (TrainEncoder, {"name": "mine", "temperature": 0}, "temperature"),
        (TrainEncoder, {"name": "mine", "lr": "nan"}, "lr"),
    ],
)
def test_a_wrong_value_is_refused_with_its_field_named(
    params_type: type[TaskParams], values: dict[str, Any], place: str
) -> None:
    with pytest.raises(msgspec.ValidationError, match=rf"\$\.{place}"):
        build_params(params_type, values)


def test_a_field_that_nobody_knows_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="colour"):
        build_params(Search, {"text": "tea", "colour": "red"})


def test_numbers_typed_as_text_are_understood() -> None:
    assert build_params(Search, {"text": "tea", "k": "7"}).k == 7


def _split_words(name: str) -> list[str]:
    spaced = "".join(f" {letter}" if letter.isupper() else letter for letter in name)
    return spaced.split()


@pytest.mark.parametrize(
    "field",
    ["n_steps", "n_warmup", "negatives_every", "evaluate_every", "n_accumulated"],
)
def test_a_count_that_no_field_of_the_window_can_hold_is_refused(field: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=field):
        build_params(TrainEncoder, {"name": "x", field: 2**31})
