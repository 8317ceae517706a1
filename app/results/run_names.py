"""Describe the inputs of a run: files, corpora, encoder, or the name of its result."""

import re
from collections.abc import Mapping
from typing import Any

from app.params.base import TaskParams

N_NAMED = 3  # values of a list
NO_NAMES: Mapping[str, str] = {}
# The first field with a value names the object.
_OBJECTS = (
    *("name", "files", "file", "tests", "data", "table", "corpora", "corpus", "pairs"),
    *("text", "treebanks", "directory", "package", "map", "vectors", "hits", "against"),
)
# The kinds of objects that other fields name, as in the keys of names.
_KINDS = {"pairs": "pair set", "hits": "hit list", "map": "map"}
_SIDES = ("source", "target")
_MAKERS = ("classifier", "encoder", "encoders", "initial", "model")


def describe_objects(
    params: TaskParams, corpora: Mapping[str, str] = NO_NAMES, *, encoder: str = ""
) -> str:
    """Describe the inputs of a run: "stories.en.txt" or "Hafenbriefe · isogloss-3".

    Args:
        corpora: names of corpora by their ids; of other objects by kind and id.
        encoder: encoder that the run used, if its params name none.
    """
    values = {name: getattr(params, name) for name in params.__struct_fields__}
    objects = next((t for name in _OBJECTS if (t := _text(values, name, corpora))), "")
    sides = [_text(values, name, corpora) for name in _SIDES]
    if all(sides):
        objects = objects or " – ".join(sides)
    makers = next((t for name in _MAKERS if (t := _text(values, name))), encoder)
    return " · ".join(dict.fromkeys(part for part in (objects, makers) if part))


def _text(
    values: Mapping[str, Any], field: str, corpora: Mapping[str, str] = NO_NAMES
) -> str:
    """Return the values of a field, files without their folders."""
    value = values.get(field) or ()
    items = [str(one) for one in (value if isinstance(value, tuple) else (value,))]
    if field != "text":
        items = [re.sub(r"[^=]*[/\\]", "", item) for item in items]
    kind = f"{_KINDS[field]} " if field in _KINDS else ""
    names = [corpora.get(f"{kind}{item}", item) for item in items]
    more = len(names) - N_NAMED
    return ", ".join(names[:N_NAMED]) + (f" + {more:,}" if more > 0 else "")
