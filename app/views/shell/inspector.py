"""Inspector: translations, context, note and origin of the selected sentence."""

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QApplication,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QWidget,
)
from shiboken6 import isValid
from sqlalchemy import Engine

from app.engine.store import corpora
from app.engine.store.documents import document_of
from app.engine.store.embeddings import EmbeddingRow
from app.engine.store.labels import read_label
from app.engine.store.runs import read_run
from app.engine.store.sentences import (
    SentenceRow,
    read_context,
    read_note,
    read_sentences,
    read_translations,
)
from app.errors import ErrorInfo
from app.languages import language_name
from app.protocol.answers.search import FoundSentence, SearchAnswer
from app.protocol.edits.general import SetNote
from app.protocol.queries.reading import MarkedText
from app.protocol.queries.search import NearestQuery
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.classifiers import describe_predictions
from app.views.widgets.controls import (
    ElidedLabel,
    add_action,
    describe,
    describe_action,
    make_label,
    make_rule,
    make_tool_button,
)
from app.views.widgets.dialogs import copy_text
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.hits import (
    Hit,
    cite,
    describe_place,
    join_names,
    read_hits,
    with_language,
    without_language_code,
)
from app.views.widgets.icons import themed_icon
from app.views.widgets.number_format import format_count
from app.views.widgets.sections import TitledSection
from app.views.widgets.sentence_editor import ask_sentence_text
from app.views.widgets.sentence_label import ContextLabel, SentenceLabel
from app.views.widgets.theme import GRID, colours_of
from app.views.widgets.view_protocol import ContextShower, ReadingRequest
from app.views.widgets.word_marks import WordMarker, code_points

_tr = partial(QCoreApplication.translate, "vector_facts")


def describe_vectors(store: Engine, embedding: EmbeddingRow) -> str:
    """Describe encoder, dimensions, run, date and device, or the missing vectors."""
    words = _tr("{encoder} · {dim} dimensions")
    lines = [words.format(encoder=embedding.encoder, dim=format_count(embedding.dim))]
    run_id = embedding.run_id
    run = None if run_id is None else read_run(store, run_id)
    if run is not None:
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started_at))
        facts = [_tr("run {id}").format(id=run.id), day, run.device]
        lines.append(" · ".join(fact for fact in facts if fact))
    if embedding.n_done < embedding.n_rows:
        words = _tr("{done} of {total} sentences are encoded")
        done, total = format_count(embedding.n_done), format_count(embedding.n_rows)
        lines.append(words.format(done=done, total=total))
    return "\n".join(lines)


class SentenceTools(ActionRow):
    """Buttons that search for, show, copy or edit the sentence."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._sentence: SentenceRow | None = None
        self.search = self._make(
            self.tr("Find nearest"),
            self.tr("Search for sentences similar to this one."),
            self._search,
        )
        self.place = self._make(
            self.tr("Show in corpus"),
            self.tr("Show this sentence in the table of its corpus."),
            self._show_place,
        )
        self.read = self._make(
            self.tr("Read"),
            self.tr("Show this sentence with its translations."),
            self._read,
        )
        self.copy = self._make(
            self.tr("Copy"), self.tr("Copy the sentence with its source."), self._copy
        )
        self.edit = self._make(
            self.tr("Edit…"), self.tr("Correct the text of this sentence."), self._edit
        )
        actions = (self.search, self.read, self.place, self.copy, self.edit)
        self.set_actions([(action, action.text()) for action in actions])

    def take(self, sentence: SentenceRow) -> None:
        """Set the sentence that the buttons apply to."""
        self._sentence = sentence

    def _make(self, text: str, hint: str, slot: Callable[[], object]) -> QAction:
        action = QAction(text, self)
        describe_action(action, hint)
        action.triggered.connect(lambda: slot())
        return action

    def _search(self) -> None:
        if self._sentence is not None:
            self._state.view_requests.search_requested.emit(self._sentence.id)

    def _show_place(self) -> None:
        if self._sentence is not None:
            self._state.view_requests.place_requested.emit(self._sentence.id)

    def _read(self) -> None:
        if self._sentence is not None:
            request = ReadingRequest(self._sentence.id)
            self._state.view_requests.reading_requested.emit(request)

    def _edit(self) -> None:
        ask_sentence_text(self._state, self)

    def _copy(self) -> None:
        if self._sentence is not None and self._state.project is not None:
            copy_text(cite(self._state.project, [self._sentence]))


SAVE_AFTER_MS = 800  # after the last key
MAX_CHARACTERS = 20_000


class NoteEditor(QPlainTextEdit):
    """A small text field that saves after a pause and when it loses the focus."""

    def __init__(
        self, save: Callable[[int, str], object], parent: QWidget | None = None
    ):
        """Create the field; `save` is called with the sentence's id and text."""
        super().__init__(parent)
        self._save_note = save
        self._sentence: int | None = None
        self._saved = ""
        self._before: QWidget | None = None  # had the focus before
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(self.tr("Write a note (N)"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        hint = self.tr("A note on this sentence (N). Escape goes back.")
        describe(self, self.tr("Note"), hint)
        self.textChanged.connect(self._on_text_changed)

    def show_note(self, sentence_id: int | None, text: str) -> None:
        """Save the current note, and show the note on another sentence."""
        is_written = sentence_id == self._sentence and self.hasFocus()
        if is_written and (self._is_dirty() or text.strip() == self._text):
            return
        self.save()
        self._sentence, self._saved = sentence_id, text
        if text != self.toPlainText():
            self.blockSignals(True)
            self.setPlainText(text)
            self.blockSignals(False)
        self._timer.stop()

    def save(self) -> None:
        """Save the note if it has changed."""
        self._timer.stop()
        if self._sentence is not None and self._is_dirty():
            self._saved = self._text
            self._save_note(self._sentence, self._text)

    def begin(self) -> None:
        """Take the focus; Escape returns it."""
        self._before = QApplication.focusWidget()
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def _text(self) -> str:
        """The note without line breaks at its end."""
        return self.toPlainText()[:MAX_CHARACTERS].strip()

    def _is_dirty(self) -> bool:
        return self._text != self._saved.strip()

    def _on_text_changed(self) -> None:
        self._timer.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return the focus on Escape."""
        before = self._before
        if event.key() == Qt.Key.Key_Escape and before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Save the note when the field loses the focus."""
        super().focusOutEvent(event)
        self.save()

    def sizeHint(self) -> QSize:
        """Return the height of three lines."""
        return QSize(200, self.fontMetrics().lineSpacing() * 3 + 16)

    def minimumSizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(80, self.fontMetrics().lineSpacing() + 16)


N_AROUND = 3  # sentences before and after
N_NEIGHBOURS = 8
N_TRANSLATIONS = 24
ASK_AFTER_MS = 120  # delay before neighbours are requested
SENTENCE_PX = 17
CHANGING_TRANSLATIONS = {"hidden", "link", "pair", "judgements", "mining"}  # kinds
CHANGING_PREDICTIONS = {"classifier", "prediction"}


class Inspector(QWidget):
    """Shows the selected sentence, its translations, context, note and origin."""

    neighbours_shown = Signal()  # after the query has returned

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._state = state
        self._sentence: SentenceRow | None = None
        self._left: list[int] = []  # history for Back
        self._is_stepping = False
        self._view: object = None  # the view next to the inspector
        self._on_page = frozenset[int]()  # the sentence and its context
        self._make_parts()
        self._lay_out()
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self.ask_neighbours)
        self._painting = QTimer(self, singleShot=True, interval=0)
        self._painting.timeout.connect(self._show_selected)
        self._add_note_action()
        self._marker = WordMarker(state, "inspector", self)
        self._marker.changed.connect(self._show_words)
        self._text.part_selected.connect(self._mark_words)
        state.selection_changed.connect(self._on_selection_changed)
        state.page_changed.connect(self._on_page_changed)
        state.row_changed.connect(self._on_row_changed)
        state.embeddings_changed.connect(self._show_again)
        state.texts_changed.connect(self._show_again)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.project_opening_changed.connect(self.note.save)
        state.project_opened.connect(self._show_selected)
        state.project_closed.connect(self._show_nothing)
        self._on_selection_changed(state.selection)

    def show_beside(self, view: object) -> None:
        """Show the selection of another view after the view is painted."""
        self._view = view
        self._painting.start()

    @property
    def neighbours(self) -> list[Hit]:
        """The neighbours in the inspector."""
        cards = self._near.widgets(SentenceCard)
        return [card.hit for card in cards]

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icon in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.back.setIcon(themed_icon("back", colours_of(self)))

    # --- layout ---

    def _make_parts(self) -> None:
        self._place = ElidedLabel("secondary", elide=Qt.TextElideMode.ElideMiddle)
        self.back = add_action(
            self,
            self.tr("Back"),
            self.tr("Go back to the previous sentence (Alt+Left)."),
            self._go_back,
            "Alt+Left",
        )
        self.back.setEnabled(False)
        self.back.setIcon(themed_icon("back", colours_of(self)))
        self._text = SentenceLabel(SENTENCE_PX)
        self._text.setToolTip(
            self.tr("Double-click a word to mark its translations in the cards below.")
        )
        self.tools = SentenceTools(self._state)
        self._document = TitledSection(self.tr("Document"), spacing=0)
        self._context = TitledSection(self.tr("Context"), spacing=0)
        self._near = TitledSection(self.tr("Nearest in other languages"))
        self._known = TitledSection(self.tr("Known translations"))
        self._known.setToolTip(
            self.tr(
                "Links that were imported or made manually, accepted pairs, and "
                "confirmed links of an alignment."
            )
        )
        self._label = TitledSection(self.tr("Label"))
        self._predicted = TitledSection(self.tr("Predicted class"), spacing=0)
        self._note = TitledSection(self.tr("Note"))
        self._vectors = TitledSection(self.tr("Vector"))
        self.note = NoteEditor(lambda id_, text: self._state.edit(SetNote(id_, text)))
        self._note.add(self.note)

    def _lay_out(self) -> None:
        content = QWidget()
        content.setObjectName("scrolled")
        for section in self._sections():
            section.setContentsMargins(0, GRID, 0, 0)  # no gap for a hidden section
        make_column(
            self._text,
            *self._sections(),
            Stretch(1),
            parent=content,
            margins=(2 * GRID, 0, 2 * GRID, 2 * GRID),
        )
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        area.setWidget(content)
        # The length of the sentence does not move the buttons and the note.
        head = make_column(
            make_row((self._place, 1), make_tool_button(self.back)),
            self.tools,
            margins=(2 * GRID, GRID, 2 * GRID, 0),
        )
        right = 2 * GRID + area.verticalScrollBar().sizeHint().width()
        foot = make_column(self._note, margins=(2 * GRID, 0, right, GRID))
        page = as_widget(make_column(head, (area, 1), make_rule(), foot))
        hint = EmptyState(
            "",
            self.tr(
                "Select a sentence to see its translations, context, neighbours and "
                "note here."
            ),
            icon="read",
        )
        hint.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(hint)
        self._pages.addWidget(page)
        self._area = area

    def _sections(self) -> tuple[TitledSection, ...]:
        return (
            self._known,
            self._document,
            self._context,
            self._label,
            self._predicted,
            self._near,  # low down, since it arrives late and would move the rest
            self._vectors,
        )

    def _add_note_action(self) -> None:
        action = QAction(self.tr("Write a note on the sentence"), self)
        action.setShortcut(QKeySequence("N"))
        action.triggered.connect(self._write_note)
        self.addAction(action)

    # --- user actions ---

    def _write_note(self) -> None:
        if self._sentence is not None:
            self.note.begin()

    def _go_to(self, sentence_id: int) -> None:
        """Show a sentence of a card or of the context, and enable Back."""
        if self._sentence is not None and sentence_id != self._sentence.id:
            self._left.append(self._sentence.id)
            self._step_to(sentence_id)

    def _go_back(self) -> None:
        if self._left:
            self._step_to(self._left.pop())

    def _step_to(self, sentence_id: int) -> None:
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            self._area.setFocus()  # the focused card is about to be deleted
        self._is_stepping = True
        self._state.select_sentence(sentence_id)
        self._is_stepping = False

    # --- display ---

    def _show_nothing(self) -> None:
        self.note.show_note(None, "")
        self._sentence = None
        self._timer.stop()
        self._pages.setCurrentIndex(0)

    def _show_selected(self) -> None:
        """Show a selection made before the inspector existed or while it waited."""
        shown = self._sentence.id if self._sentence is not None else None
        if self._state.selection != shown:
            self._show(self._state.selection)

    def _on_selection_changed(self, sentence_id: int | None) -> None:
        if not self._is_stepping:
            self._left.clear()
        self.back.setEnabled(bool(self._left))
        if not self._painting.isActive():
            self._show(sentence_id)

    def _show(self, sentence_id: int | None) -> None:
        project = self._state.project
        if sentence_id is None or project is None:
            self._show_nothing()
            return
        sentence = read_sentences(project.store, [sentence_id])[0]
        if sentence is None:
            self._show_nothing()
            return
        self._sentence = sentence
        self._on_page = self._read_page(sentence.id)
        self._show_sentence(project, sentence)
        self._area.verticalScrollBar().setValue(0)
        self._pages.setCurrentIndex(1)
        self._timer.start()

    def _read_page(self, sentence_id: int) -> frozenset[int]:
        """Return the ids of the sentences that the view shows as context."""
        view = self._view
        if isinstance(view, ContextShower):
            return view.ids_around(sentence_id)
        return frozenset()

    def _on_page_changed(self) -> None:
        sentence = self._sentence
        if sentence is not None and self._read_page(sentence.id) != self._on_page:
            self._show_again()

    def _show_sentence(self, project: ProjectReader, sentence: SentenceRow) -> None:
        corpus_id = corpora.corpus_of(sentence.id)
        names = {corpus.id: corpus.name for corpus in project.corpora}
        corpus = names.get(corpus_id, "")
        self.tools.take(sentence)
        self._text.show_sentence(sentence.text, sentence.language)
        language = language_name(sentence.language)
        corpus = without_language_code(corpus, sentence.language)
        place = describe_place(join_names(language, corpus), sentence.line)
        self._place.setText(place)
        self._show_document(project, sentence)
        self._show_context(project, sentence)
        self._show_known(project, sentence)
        self._show_label_and_note(project, sentence)
        self._show_predicted(project, sentence)
        self._show_vectors(project, corpus_id)

    def _show_document(self, project: ProjectReader, sentence: SentenceRow) -> None:
        """Show the document and its fields, or nothing without a document."""
        found = document_of(project.store, sentence.id)
        self._document.clear()
        self._document.setVisible(found is not None)
        if found is not None:
            self._document.add(make_label(found.name, wraps=True))
            for name, value in found.fields.items():
                words = self.tr("{field}: {value}").format(field=name, value=value)
                self._document.add(make_label(words, "secondary", wraps=True))

    def _show_context(self, project: ProjectReader, sentence: SentenceRow) -> None:
        self._context.clear()
        lines = read_context(project.store, sentence.id, n_around=N_AROUND)
        for row in lines:
            line = ContextLabel(row, is_current=row.id == sentence.id)
            line.chosen.connect(lambda row: self._go_to(row.id))
            self._context.add(line)
        is_on_page = self._on_page.issuperset(row.id for row in lines)
        self._context.setVisible(len(lines) > 1 and not is_on_page)

    def _show_known(self, project: ProjectReader, sentence: SentenceRow) -> None:
        linked = read_translations(project.store, sentence.id)
        known = [
            FoundSentence(row.id)
            for row in linked
            if project.has(row.id) and row.id not in self._on_page
        ]
        hits = read_hits(project.store, known[:N_TRANSLATIONS])
        cards = [with_language(hit._replace(is_translation=True)) for hit in hits]
        self._show_cards(self._known, cards)
        if len(known) > N_TRANSLATIONS:
            words = self.tr("… and {n} more")
            more = make_label(words.format(n=len(known) - N_TRANSLATIONS), "secondary")
            self._known.add(more)

    def _show_cards(self, section: TitledSection, hits: list[Hit]) -> None:
        section.clear()
        for hit in hits:
            card = SentenceCard(hit, self.tr("Select this sentence."))
            card.chosen.connect(lambda hit: self._go_to(hit.sentence.id))
            section.add(card)
        section.setVisible(bool(hits))

    def _show_label_and_note(
        self, project: ProjectReader, sentence: SentenceRow
    ) -> None:
        label = read_label(project.store, sentence.id)
        self._label.clear()
        self._label.setVisible(bool(label))
        if label:
            self._label.add(make_label(label))
        self.note.show_note(sentence.id, read_note(project.store, sentence.id))
        self.note.setReadOnly(project.is_read_only)

    def _show_predicted(self, project: ProjectReader, sentence: SentenceRow) -> None:
        predictions = describe_predictions(project.store, project.folder, sentence.id)
        self._predicted.clear()
        self._predicted.setVisible(bool(predictions))
        for text in predictions:
            self._predicted.add(make_label(text, wraps=True))

    def _show_vectors(self, project: ProjectReader, corpus_id: int) -> None:
        self._vectors.clear()
        made = [row for row in project.embeddings if row.corpus_id == corpus_id]
        texts = [describe_vectors(project.store, row) for row in made]
        if not texts:
            texts = [self.tr("No neighbours yet. Encode the corpus to find them.")]
        for text in texts:
            self._vectors.add(make_label(text, "secondary", wraps=True))
        self._near.clear()
        self._near.setVisible(False)

    # --- translated words ---

    def _cards(self) -> list[SentenceCard]:
        return [*self._known.widgets(SentenceCard), *self._near.widgets(SentenceCard)]

    def _mark_words(self) -> None:
        """Mark the translations of the words that are selected in the sentence."""
        sentence, cards, part = self._sentence, self._cards(), self._text.selectedText()
        if sentence is None or not cards or not part:
            self._marker.clear()
            return
        begin = code_points(sentence.text, self._text.selectionStart())
        self._marker.ask(
            MarkedText(
                text=sentence.text,
                begin=begin,
                end=begin + len(part),
                targets=tuple(card.hit.sentence.id for card in cards),
                sentence=sentence.id,
            )
        )

    def _show_words(self) -> None:
        for card in self._cards():
            card.mark_words(self._marker.words.get(card.hit.sentence.id, []))

    # --- neighbours ---

    def ask_neighbours(self) -> None:
        """Ask for the nearest sentence of each other language."""
        self._timer.stop()
        project, sentence = self._state.project, self._sentence
        if project is None or sentence is None:
            return
        languages = {corpus.language for corpus in project.corpora}
        others = tuple(sorted(languages - {sentence.language}))
        if others and any(row.n_done for row in project.embeddings):
            query = NearestQuery(
                sentence=sentence.id, k=1, languages=others, requester="inspector"
            )
            self._state.ask(query, lambda answer: self._on_answer(sentence.id, answer))

    def _on_answer(self, asked: int, answer: SearchAnswer | ErrorInfo) -> None:
        project, sentence = self._state.project, self._sentence
        is_its = sentence is not None and sentence.id == asked
        if project is None or not is_its or isinstance(answer, ErrorInfo):
            return
        others = [hit for hit in answer.hits if hit.sentence not in self._on_page]
        found = sorted(others, key=lambda hit: -(hit.score or 0))[:N_NEIGHBOURS]
        hits = read_hits(project.store, found, asked=[asked])
        self._show_cards(self._near, [with_language(hit) for hit in hits])
        reranker = self._state.encoders.reranker
        if hits and reranker is not None:
            words = self.tr(
                "Cosines by {encoder}. Those of Search can differ, since it re-ranks "
                "hits with {reranker}."
            ).format(encoder=self._state.encoders.chosen, reranker=reranker.name)
            self._near.add(make_label(words, "secondary", wraps=True))
        self._mark_words()
        self.neighbours_shown.emit()

    # --- changes in the store ---

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        project, sentence = self._state.project, self._sentence
        if project is None or sentence is None:
            return
        is_own = kind in ("note", "label") and row_id == sentence.id
        if is_own or kind == "labels":
            self._show_label_and_note(project, sentence)
        if kind == "document" and row_id == corpora.corpus_of(sentence.id):
            self._show_document(project, sentence)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        """Update the translations, and remove hidden sentences."""
        project, sentence = self._state.project, self._sentence
        if project is None or sentence is None:
            return
        if kinds & CHANGING_PREDICTIONS:
            self._show_predicted(project, sentence)
        if "hidden" in kinds:
            self._show_context(project, sentence)
        if kinds & CHANGING_TRANSLATIONS:
            self._show_known(project, sentence)
            self._timer.start()

    def _show_again(self) -> None:
        if self._sentence is not None and self._state.project is not None:
            self._show(self._sentence.id)
