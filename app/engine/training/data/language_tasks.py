"""Tasks of one language each, from the training rows of an objective."""

from collections.abc import Sequence
from typing import NamedTuple

from app.engine.training.data.tokens import RowRange
from app.errors import UserError
from app.languages import parse_language
from app.params.training.encoder import TrainEncoder


class LanguageTask(NamedTuple):
    """Training rows of one task of an objective.

    Attributes:
        name: name of the objective, followed by the language if there are several
            tasks.
        groups: ranges of rows.
        seed: makes the draws of several tasks independent.
    """

    name: str
    groups: tuple[RowRange, ...]
    seed: int = 0

    @property
    def n_rows(self) -> int:
        """Return the number of rows of all groups."""
        return sum(group.n_pairs for group in self.groups)


def split_pair_tasks(
    name: str, groups: Sequence[RowRange], params: TrainEncoder
) -> list[LanguageTask]:
    """Return one task for each file of pairs, or one task if batches mix languages."""
    if not params.tasks_per_language:
        return [LanguageTask(name, tuple(groups))]
    return [
        LanguageTask(f"{name}.{group.name}", (group,), seed)
        for seed, group in enumerate(groups)
    ]


def split_language_tasks(
    name: str, groups: Sequence[RowRange], params: TrainEncoder
) -> list[LanguageTask]:
    """Return one task for each language of monolingual rows, or one for all.

    A group is named after its file, and in a table also after the column; the last part
    of the name that is a language code specifies its language (eng.novels, news.deu). A
    group without a code is treated as a separate language.

    Raises:
        UserError: no group is in one of the params' native languages.
    """
    wanted = {parse_language(code).code for code in params.native_languages}
    by_language: dict[str, list[RowRange]] = {}
    for group in groups:
        language = _language_of(group.name)
        if not wanted or language in wanted:
            by_language.setdefault(language, []).append(group)
    if not by_language:
        found = ", ".join(dict.fromkeys(_language_of(group.name) for group in groups))
        raise UserError(
            f"No file for {name} is in {', '.join(params.native_languages)}; found: "
            f"{found}. Start the file names with a language code, such as eng.tsv."
        )
    if not params.tasks_per_language:
        kept = tuple(group for groups in by_language.values() for group in groups)
        return [LanguageTask(name, kept)]
    return [
        LanguageTask(f"{name}.{language}", tuple(groups), seed)
        for seed, (language, groups) in enumerate(by_language.items())
    ]


def _language_of(group: str) -> str:
    """Return the code of a group's language, or the group's name without a code."""
    parsed = (parse_language(part) for part in reversed(group.split(".")))
    return next((one.code for one in parsed if one.known), group)
