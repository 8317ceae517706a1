"""Dialog that adds a language to an encoder."""

import re
from collections.abc import Collection
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import CorpusRow
from app.engine.store.pairs.sets import count_links
from app.errors import ErrorInfo
from app.languages import language_name, parse_language, primary_language
from app.params import build_params
from app.params.encoders import AlignEncoder
from app.protocol.answers.corpora import ImportPreview
from app.protocol.queries.corpora import PreviewQuery
from app.views.client.state import AppState
from app.views.widgets.corpus_choices import (
    describe_corpus,
    linked_pairs,
    name_corpus,
)
from app.views.widgets.fields import make_language_input
from app.views.widgets.form import FormParts
from app.views.widgets.language_field import LanguageField
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "add_language")

SHOWN = ("english", "pairs", "corpus", "language", "name", "architecture")
_PAIR_FILE = re.compile(r"[a-z]{2,3}-([a-z]{2,3}(?:[-_][A-Za-z0-9]+)*)\.")
_ENGLISH_AND_OTHER = re.compile(r"(?:^|[^a-z])(?:en|eng)[-_]([a-z]{2,3})(?![a-z])")
CERTAIN = 0.5  # minimum confidence of language detection, 0…1


class AddLanguageDialog(TaskDialog):
    """Asks for translations of English sentences and for their language."""

    rare = tuple(
        info.name
        for info in msgspec.structs.fields(AlignEncoder)
        if info.name not in (*SHOWN, "out")
    )
    WIDTH = 88 * GRID

    def __init__(
        self,
        state: AppState,
        english: str,
        pairs: Path | None,
        parent: QWidget | None = None,
    ):
        """Initialise.

        Args:
            english: name of the encoder to extend.
            pairs: file of translations; None proposes a corpus of the project.
        """
        self._taken = {card.name for card in state.encoders.cards}
        corpora = list_translated_corpora(state)
        self._language_of = {key: row.language for key, row in corpora.items()}
        corpus = next(iter(corpora), "") if pairs is None else ""
        self._source: object = (pairs, corpus)
        language = self._language_of.get(corpus) or guess_file_language(pairs)
        values = {
            "english": english,
            "pairs": pairs,
            "corpus": corpus,
            "language": language,
            "name": propose_name(english, language, self._taken),
        }
        self._proposed = values["name"]
        params: AlignEncoder = build_params(AlignEncoder, values)
        skip = ("out",) if corpora else ("out", "corpus")
        super().__init__(state, AlignEncoder, params, skip=skip, parent=parent)
        if corpora:
            titles = [(describe_corpus(row), key) for key, row in corpora.items()]
            self.form.set_choices("corpus", [(self.tr("None"), ""), *titles])
        self.setWindowTitle(self.heading())
        self.name_button(self.tr("Add language"))
        self.form.changed.connect(self._follow_source)
        self.form.changed.connect(self._show_name)
        self.form.changed.connect(self._show_result)
        self._show_result()
        self._detect(pairs, language)

    def _follow_source(self) -> None:
        """Set the language from a new file or corpus, which replace each other."""
        raw = self.form.raw()
        pairs, corpus = raw.get("pairs") or None, str(raw.get("corpus") or "")
        source = (Path(pairs) if pairs else None, corpus)
        if source == self._source:
            return
        before, self._source = self._source, source
        if all(source):
            is_new_file = before == (None, corpus)
            self.form.write({"corpus": ""} if is_new_file else {"pairs": None})
            return  # clearing calls this slot again
        language = self._language_of.get(corpus) or guess_file_language(source[0])
        self.form.write({"language": language})
        self._detect(source[0], language)

    def _detect(self, pairs: Path | None, language: str) -> None:
        """Request the language of a file whose name does not contain it."""
        if pairs is not None and not language:
            query = PreviewQuery(params={"files": [str(pairs)]})
            self._state.ask(query, self._on_previewed)

    def heading(self) -> str:
        """Return the heading."""
        return self.tr("Add a language")

    def form_parts(self) -> FormParts:
        """Return a field for the language."""
        self._language = LanguageField(self.tr("Language"))
        titles = {
            "english": self.tr("Encoder"),
            "pairs": self.tr("File of translations"),
            "corpus": self.tr("Corpus with English translations"),
            "negatives": self.tr("Weight of negatives"),
            "kept_out": self.tr("Excluded files"),
            "n_pieces": self.tr("Vocabulary size"),
            "n_ngrams": self.tr("Character n-gram rows"),
            "embed_dim": self.tr("Embedding size"),
            "hidden_dim": self.tr("Hidden units"),
            "max_tokens": self.tr("Maximum tokens"),
            "n_steps": self.tr("Steps"),
            "batch_size": self.tr("Batch size (pairs)"),
            "lr": self.tr("Learning rate"),
            "checkpoint_every_s": self.tr("Checkpoint interval (s)"),
            "n_development": self.tr("Held-out pairs"),
            "evaluate_every": self.tr("Evaluation interval (steps)"),
            "nli": self.tr("NLI files in English"),
            "nli_test": self.tr("NLI test file"),
        }
        inputs = {"language": make_language_input(self._language)}
        wide = ("english", "pairs", "corpus", "language", "name", "architecture")
        return FormParts(titles=titles, inputs=inputs, wide=wide)

    def _show_name(self) -> None:
        """Propose a name from the choices, unless the user entered one."""
        raw = self.form.raw()
        if raw.get("name") == self._proposed:
            code = str(raw.get("language", ""))
            english = str(raw.get("english", ""))
            self._proposed = propose_name(english, code, self._taken)
            if raw["name"] != self._proposed:
                self.form.write({"name": self._proposed})

    def _show_result(self) -> None:
        """Describe the result, or show that the encoder already has the language."""
        raw = self.form.raw()
        code = parse_language(str(raw.get("language", ""))).code
        name = str(raw.get("english", "")) or self._state.encoders.chosen
        encoder = self._state.encoders.find(name)
        known = encoder.languages if encoder is not None else ()
        if code and code in {parse_language(one).code for one in known}:
            words = self.tr(
                "{encoder} was already trained on {language}. The new part is used for "
                "{language} instead, and is often worse. To improve {language}, choose "
                "Fine-tune on my pairs… in Encoders."
            )
            language = language_name(code)
            self.show_needs(words.format(encoder=name, language=language))
            return
        self.show_needs(
            self.tr(
                "The result is a new encoder: this one, unchanged, with the new "
                "language in the same vector space."
            )
        )

    def _on_previewed(self, answer: ImportPreview | ErrorInfo) -> None:
        """Set the language of the second column, unless the user chose one."""
        if isinstance(answer, ErrorInfo) or len(answer.sides) < 2:
            return
        side = answer.sides[1]
        if side.confidence >= CERTAIN and not self.form.raw().get("language"):
            self.form.write({"language": side.guess})


def list_translated_corpora(state: AppState) -> dict[str, CorpusRow]:
    """Return the corpora linked to English corpora, by their key in commands."""
    project = state.project
    if project is None:
        return {}
    linked = linked_pairs(project)
    english = {row.id for row in linked if primary_language(row.language) == "en"}
    return {
        name_corpus(project.corpora, row): row
        for row in linked
        if row.id not in english and english & count_links(project.store, row.id).keys()
    }


def guess_file_language(file: Path | None) -> str:
    """Return the language code in a file name: eng-wol.tsv.xz, pairs_en_pt.tsv."""
    if file is None:
        return ""
    found = _PAIR_FILE.match(file.name) or _ENGLISH_AND_OTHER.search(file.name)
    return found[1] if found is not None and parse_language(found[1]).known else ""


def propose_name(english: str, language: str, taken: Collection[str] = ()) -> str:
    """Return an unused name for the extended encoder: isogloss-2 + Wolof."""
    is_known = bool(language) and parse_language(language).known
    added = language_name(language) if is_known else _tr("language")
    name = f"{english} + {added}"
    numbered = (f"{name} {n}" for n in range(2, len(taken) + 3))
    return next(one for one in (name, *numbered) if one not in taken)
