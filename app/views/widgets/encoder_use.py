"""Select the encoder in use, and name the languages that it can't encode."""

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from app.languages import language_name
from app.params.vectors import Encode
from app.protocol.answers.encoders import EncoderInfo
from app.protocol.edits.encoders import ChooseEncoder
from app.views.client.state import AppState

N_NAMED = 3  # languages


def use_encoder(state: AppState, name: str) -> None:
    """Select an encoder for search and encoding."""
    state.edit(ChooseEncoder(name))


def encode_with(state: AppState, name: str) -> None:
    """Select an encoder, and encode every corpus with it."""
    project = state.project
    if project is not None and project.corpora:
        use_encoder(state, name)
        corpora = tuple(str(row.id) for row in project.corpora)
        state.run(Encode(corpora=corpora, encoder=name))


def name_languages(codes: Iterable[str]) -> str:
    """Name languages: Arabic, Czech, Finnish and 4 more."""
    names = sorted({language_name(code) for code in codes})
    listed, n_more = ", ".join(names[:N_NAMED]), len(names) - N_NAMED
    if n_more <= 0:
        return listed
    words = QCoreApplication.translate("EncoderUse", "{names} and {n} more")
    return words.format(names=listed, n=n_more)


def describe_unknown_languages(encoder: EncoderInfo, codes: Iterable[str]) -> str:
    """Name the languages of a project that a translation model can't encode."""
    known = {code: encoder.has_language(code) for code in codes}
    unknown = [code for code, is_known in known.items() if not is_known]
    if not unknown:
        return ""
    words = QCoreApplication.translate(
        "EncoderUse",
        "{name} can't encode {n} of the {total} languages of this project: {names}. "
        "Search, Mine and Map leave them out.",
    )
    return words.format(
        name=encoder.name,
        n=len(unknown),
        total=len(known),
        names=name_languages(unknown),
    )
