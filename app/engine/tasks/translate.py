"""Task: translate the lines of a file."""

from typing import TYPE_CHECKING

import msgspec

from app.engine.runtime.report import Report
from app.engine.text.line_files import read_lines
from app.params.translation import Translate

if TYPE_CHECKING:
    from app.engine.project.project import Project


class TranslateResult(msgspec.Struct, frozen=True):
    """The translations, one per line of the file."""

    translations: list[str]


def translate(
    project: "Project | None", params: Translate, report: Report
) -> TranslateResult:
    """Translate each line; an empty line becomes an empty translation.

    Raises:
        UserError: unknown model, or the model was not trained on one of the languages.
    """
    from app.engine.translation.decoding import SearchSettings
    from app.engine.translation.models import (
        choose_direction,
        make_translator,
        open_model,
    )

    lines = [line.rstrip("\r") for line in read_lines(params.file)]
    model = open_model(params.model, project.folder if project else None)
    source, target = choose_direction(model, params.source, params.target)
    settings = SearchSettings(params.beam_size, params.length_penalty)
    translator = make_translator(model)
    return TranslateResult(
        translator.translate(lines, source, target, settings, report)
    )
