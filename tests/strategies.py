"""Values of any message or params type, made by hypothesis from the type itself."""

from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from app.params import decode_hook

# Any text a message may carry; lone surrogates (category Cs) have their own test.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
FLOAT_EDGE = 1e-6


def values_of(type_: Any) -> st.SearchStrategy[Any]:
    """Make values that decode as a type, bounds kept."""
    return _plain(inspect.type_info(type_)).map(
        lambda value: msgspec.convert(value, type=type_, dec_hook=decode_hook)
    )


def _plain(info: inspect.Type) -> st.SearchStrategy[Any]:
    """Make the JSON form of a type."""
    match info:
        case inspect.Metadata(type=inner):
            return _plain(inner)
        case inspect.StructType():
            return _struct(info)
        case inspect.UnionType(types=types):
            return st.one_of([_plain(inner) for inner in types])
        case inspect.VarTupleType(item_type=item, min_length=low, max_length=high):
            most = min(high or 3, 3)
            return st.lists(_plain(item), min_size=low or 0, max_size=most)
        case inspect.TupleType(item_types=types):
            return st.tuples(*map(_plain, types)).map(list)
        case inspect.ListType(item_type=item):
            return st.lists(_plain(item), max_size=3)
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(_plain(key), _plain(value), max_size=3)
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case _:
            return _scalar(info)


def _struct(info: inspect.StructType) -> st.SearchStrategy[Any]:
    fields = {field.encode_name: _plain(field.type) for field in info.fields}
    if info.tag_field is not None:
        fields[info.tag_field] = st.just(info.tag)
    made = st.fixed_dictionaries(fields)
    if not hasattr(info.cls, "__post_init__"):
        return made
    return made.filter(lambda value: _agrees(value, info.cls))


def _agrees(value: dict[str, Any], type_: type) -> bool:
    """Return whether fields that depend on each other agree."""
    try:
        msgspec.convert(value, type=type_, dec_hook=decode_hook)
    except msgspec.ValidationError:
        return False
    return True


def _scalar(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.StrType(pattern=str(pattern)):
            return st.from_regex(pattern, fullmatch=True)
        case inspect.StrType(min_length=low):
            return NAMES if low else TEXTS
        case inspect.IntType(ge=low, le=high, multiple_of=step):
            numbers = st.integers(-(2**53) if low is None else low, high or 2**53)
            # Bounds are multiples themselves, so rounding down stays inside them.
            return numbers.map(lambda number: number - number % (step or 1))
        case inspect.FloatType():
            return _float(info)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.CustomType():  # Path
            return NAMES
        case _:  # Any
            return st.none() | st.booleans() | st.integers(-9, 9) | TEXTS


def _float(info: inspect.FloatType) -> st.SearchStrategy[float]:
    low = info.ge if info.ge is not None else info.gt
    high = info.le if info.le is not None else info.lt
    return st.floats(
        -1e9 if low is None else low + (0 if info.gt is None else FLOAT_EDGE),
        1e9 if high is None else high - (0 if info.lt is None else FLOAT_EDGE),
    )
