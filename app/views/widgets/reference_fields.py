"""Inputs for params that name objects of the project: corpora, encoders and so on."""

from functools import partial
from typing import Literal, get_args, get_origin

import msgspec
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit

from app.engine.store.classifiers import list_classifiers
from app.engine.store.words.hit_lists import list_hit_lists
from app.params.base import TaskParams
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.corpus_choices import (
    SUBCORPUS_ID_PREFIX,
    corpus_choices,
    find_corpus,
    name_corpus,
    single_choices,
)
from app.views.widgets.fields import Field, FieldFacts, field_facts
from app.views.widgets.form import Form

_tr = partial(QCoreApplication.translate, "reference_fields")

Choices = list[tuple[str, str]]  # value and title


def make_check_lists(state: AppState, struct: type[TaskParams]) -> dict[str, Field]:
    """Return a check list for each field that can name several project objects."""
    inputs: dict[str, Field] = {}
    for facts in _references(struct):
        choices = _list_choices(state, facts.refers_to)
        if get_origin(facts.plain) is tuple and choices:
            check_list = CheckList(facts.title, facts.description)
            check_list.set_choices(choices)
            inputs[facts.name] = check_list.as_field()
    return inputs | _make_choice_lists(struct)


def _make_choice_lists(struct: type[TaskParams]) -> dict[str, Field]:
    """Return a check list for each field with several values of a fixed set."""
    inputs: dict[str, Field] = {}
    for info in msgspec.structs.fields(struct):
        facts = field_facts(info)
        values = get_args(facts.plain)[:1] if get_origin(facts.plain) is tuple else ()
        if values and get_origin(values[0]) is Literal:
            check_list = CheckList(facts.title, facts.description)
            choices = [
                (str(one), choice_title(one, facts.name)) for one in get_args(values[0])
            ]
            check_list.set_choices(choices)
            inputs[facts.name] = check_list.as_field()
    return inputs


def offer_objects(
    form: Form[TaskParams], state: AppState, struct: type[TaskParams]
) -> None:
    """Offer the objects of the project in every field that names one object."""
    for facts in _references(struct):
        if facts.name not in form.names or get_origin(facts.plain) is tuple:
            continue
        if not isinstance(form.field(facts.name).widget, QLineEdit):
            continue  # the dialog has its own input
        choices = _list_choices(state, facts.refers_to)
        value = str(form.field(facts.name).read() or "")
        known = _find_value(state.project, facts.refers_to, value)
        if facts.refers_to == "corpus":  # a corpus or sub-corpus
            choices = single_choices(state.project)
        if not choices and (facts.is_required or state.project is None):
            continue  # the name can be typed
        if not facts.is_required and "" not in dict(choices):
            choices = [("", _tr("None")), *choices]
        titles = [(title, name) for name, title in choices]
        form.field(facts.name).write(known or choices[0][0])
        form.set_choices(facts.name, titles)


def name_objects(state: AppState) -> dict[str, str]:
    """Return the names of pair sets, hit lists and classifiers by kind and id.

    Keys of sub-corpora are ids with a prefix, as in settings.
    """
    parts = state.project.subcorpora if state.project is not None else ()
    return {f"{SUBCORPUS_ID_PREFIX}{row.id}": row.name for row in parts} | {
        f"{kind} {value}": title
        for kind in ("pair set", "hit list", "classifier")
        for value, title in _list_choices(state, kind)
    }


def _references(struct: type[TaskParams]) -> list[FieldFacts]:
    facts = [field_facts(info) for info in msgspec.structs.fields(struct)]
    return [one for one in facts if one.refers_to]


def _list_choices(state: AppState, kind: str) -> Choices:
    project = state.project
    if kind == "encoder":
        in_use = _tr("{name} (in use)").format(name=state.encoders.chosen)
        cards = [(card.name, card.name) for card in state.encoders.cards]
        return [("", in_use), *cards]
    if kind == "translation model":
        return [
            (card.name, card.name)
            for card in state.encoders.cards
            if card.architecture == "bridge"
        ]
    if project is None:
        return []
    if kind == "corpus":
        return corpus_choices(project)
    if kind == "pair set":
        return [(str(row.id), row.name) for row in project.minings]
    if kind == "hit list":
        return [(str(row.id), row.name) for row in list_hit_lists(project.store)]
    return [(str(row.id), row.name) for row in list_classifiers(project.store)]


def _find_value(project: ProjectReader | None, kind: str, value: str) -> str:
    """Return the choice for a value; a corpus can also be specified by id."""
    if project is None or kind != "corpus":
        return value
    corpus = find_corpus(project.corpora, value)
    return value if corpus is None else name_corpus(project.corpora, corpus)
