"""Tour of corpora: sub-corpora, documents and quality checks."""

import csv
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import first_sentence_id
from app.engine.store.subcorpora import SubcorpusRow
from app.params import Params
from app.params.corpora import ImportCorpus, MakeSubcorpus
from app.params.projection import ProjectMap
from app.params.quality import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.paths import resource_dir
from app.protocol.edits.corpora import HideSentences
from app.tour.encoders import TRAINED
from app.tour.recorder import SceneRecorder, Scenes
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.subcorpus_dialog import SubcorpusDialog
from app.views.corpora.view import CorporaView
from app.views.map.colouring import FIELD
from app.views.map.view import MapView
from app.views.quality.dialog import QualityDialog
from app.views.quality.view import QualityView
from app.views.widgets.corpus_choices import name_corpus

SUBCORPUS_NAME = "Water in short sentences"
STEPS = ("language en", "length max=90", "near text='boats on the water' top=60")
HIDDEN = (3, 4, 7)  # positions in the first corpus


class CorporaTour:
    """Takes pictures of a sub-corpus of the samples with hidden sentences."""

    def __init__(self, recorder: SceneRecorder):
        """Initialise with a recorder."""
        self._recorder, self._state = recorder, recorder.state

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {"corpora-chain": self._show_chain, "corpora-part": self._show_part}

    def _show_part(self) -> None:
        """Show the sub-corpus with some hidden sentences."""
        self._prepare()
        view = self._view()
        view.subcorpora.list.choose(self._find_subcorpus().id)
        self._recorder.wait(view.sentences_shown, view.page.refresh)
        view.page.table.select_sentence(view.page.table.page_model.id_at(2))

    def _show_chain(self) -> QWidget:
        self._prepare()
        dialog = SubcorpusDialog(
            self._state, self._find_subcorpus(), parent=self._view()
        )
        self._recorder.wait(dialog.counted, dialog.open)
        return dialog

    def _prepare(self) -> None:
        project = self._recorder.project
        if any(row.name == SUBCORPUS_NAME for row in project.subcorpora):
            return
        english = next(row for row in project.corpora if row.language == "en")
        params = MakeSubcorpus(
            corpora=(str(english.id),), steps=STEPS, name=SUBCORPUS_NAME
        )
        self._recorder.run(params)
        self._recorder.wait_until(
            self._state.corpora_changed,
            lambda: any(row.name == SUBCORPUS_NAME for row in project.subcorpora),
        )
        first = first_sentence_id(next(iter(self._find_subcorpus().counts)))
        ids = tuple(first + place for place in HIDDEN)
        self._recorder.edit(HideSentences(sentences=ids))
        self._recorder.wait_until(
            self._state.kinds_changed, lambda: bool(project.hidden)
        )
        self._recorder.window.message_bar.clear()

    def _find_subcorpus(self) -> SubcorpusRow:
        subcorpora = self._recorder.project.subcorpora
        return next(row for row in subcorpora if row.name == SUBCORPUS_NAME)

    def _view(self) -> CorporaView:
        return self._recorder.show_view("corpora", CorporaView)


YEAR, YEARS = f"{FIELD}:year", (0, 9)  # column; range of years
ARCHIVE_NAME, PATTERN = "Nachlass", "{genre}/{author}_{year}"
# Files with ranges of the German sample sentences.
PAPERS = {
    "Brief/Anna Meerbaum_1887": (0, 9),
    "Brief/Anna Meerbaum_1891": (9, 14),
    "Brief/Johann Sand_1902": (14, 26),
    "Roman/Anna Meerbaum_1896": (26, 44),
    "Roman/Emil Ufer_1911": (44, 57),
    "Zeitung/Der Anzeiger_1904": (57, 70),
    "Zeitung/Der Anzeiger_undatiert": (70, 78),
}


class DocumentsTour:
    """Takes pictures of a folder import and the documents of a corpus."""

    def __init__(self, recorder: SceneRecorder, folder: Path):
        """Initialise with a recorder and a folder for the newspaper texts."""
        self._recorder, self._papers = recorder, folder / ARCHIVE_NAME
        self._window, self._state = recorder.window, recorder.state

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "import-folder": self._show_import,
            "corpus-documents": self._show_documents,
            "map-years": self._show_years,
        }

    def _show_import(self) -> QWidget:
        self._write()
        dialog = ImportDialog(self._state, [self._papers], self._window)
        self._recorder.wait(dialog.preview_shown, dialog.open)
        documents = dialog.form.documents
        documents.card.set_open(True)

        def _name_parts() -> None:
            fields = ("genre", "author", "year")
            for box, field in zip(documents.names.boxes, fields, strict=False):
                box.setEditText(field)

        self._recorder.wait(dialog.preview_shown, _name_parts)
        return dialog

    def _show_documents(self) -> None:
        self._import()
        view = self._recorder.show_view("corpora", CorporaView)
        project = self._recorder.project
        corpus = next(row for row in project.corpora if row.name == ARCHIVE_NAME)
        view.page.clear_filters()
        view.list.choose([corpus.id])
        view.documents.card.set_open(True)
        view.documents.table.selectRow(3)
        view.documents.document_chosen.emit(view.documents.model.rows[3].first)

    def _show_years(self) -> None:
        """Show the sentences of some years on a map of the documents."""
        self._import()
        view = self._recorder.show_view("map", MapView)
        if all(row.name != ARCHIVE_NAME for row in view.controller.maps):
            params = ProjectMap(corpora=(ARCHIVE_NAME,), name=ARCHIVE_NAME)
            self._recorder.run(params)
            view.refresh()
        rows = view.controller.maps
        view.sidebar.maps.choose(
            next(row.id for row in rows if row.name == ARCHIVE_NAME)
        )
        page, filters = view.page, view.sidebar.filters
        self._recorder.wait_until(
            page.filters.changed, lambda: YEAR in filters.histograms
        )
        view.sidebar.tabs.setCurrentWidget(filters)
        self._window.message_bar.clear()
        filters.clear()
        bars = filters.histograms[YEAR].bars
        self._recorder.wait(page.filters.changed, lambda: bars.choose(YEARS))
        page.sentences.table.selectRow(1)

    def _import(self) -> None:
        project = self._recorder.project
        if ARCHIVE_NAME in {row.name for row in project.corpora}:
            return
        params = ImportCorpus(
            files=(self._write(),), languages=("de",), fields_pattern=PATTERN
        )
        self._recorder.run(params)
        self._recorder.wait_until(
            self._state.corpora_changed,
            lambda: any(row.name == ARCHIVE_NAME for row in project.corpora),
        )
        self._window.message_bar.clear()

    def _write(self) -> Path:
        """Write the files of the documents."""
        file = resource_dir() / "samples" / "de.tsv"
        with file.open(encoding="utf-8", newline="") as stream:
            rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            texts = [row["text"] for row in rows]
        for name, (first, end) in PAPERS.items():
            paper = self._papers / f"{name}.txt"
            paper.parent.mkdir(parents=True, exist_ok=True)
            lines = "\n".join(texts[first:end])
            paper.write_text(f"{lines}\n", encoding="utf-8", newline="\n")
        return self._papers


WEB_CORPUS_NAME = "Harbour pages"
# Typical web text: duplicates, mixed encodings, and lines that are not text.
PAGES = """Home | Timetable | Fares | News | Contact
The ferry will not sail tomorrow because of the storm.
The first boats leave at six in the morning from pier 3.
The first boats leave at six in the morning from pier 4.
The old pilot says he has seen such weather only twice in forty years.
The old pilot says that he has seen such weather only twice in 40 years.
The cafÃ© at the end of the quay opens at eight o’clock.
We use cookies to improve your experience. Accept all cookies?
The ferry will not sail tomorrow, because of the storm!
Wegen des Sturms fährt die Fähre morgen nicht, und die Post bleibt liegen.
So we are staying one more night at the inn by the old market.
Read more »
The mail is in the shed behind the fish market, next to the scales.
Read more »
The lighthouse keeper\ufffds daughter writes that it is snowing in town.
Read more »
The wind has been in the north-west since noon, and it is getting colder.
Read more »
© 2019 Harbour Board. All rights reserved.
Read more »
"""


class QualityTour:
    """Takes pictures of the quality checks."""

    def __init__(self, recorder: SceneRecorder, folder: Path):
        """Initialise with a recorder and a folder for the web page."""
        self._recorder, self._folder = recorder, folder
        self._window, self._state = recorder.window, recorder.state
        self._is_ready = False

    def scenes(self) -> Scenes:
        """Return the scenes by name; the first one imports the web page."""
        return {
            "quality": self._show_duplicates,
            "quality-check": self._show_check,
            "quality-leaks": self._show_leaks,
            "quality-encoders": self._show_encoders,
            "quality-form": self._show_form,
        }

    def _prepare(self) -> None:
        if self._is_ready:
            return
        self._is_ready = True
        file = self._folder / "pages.txt"
        file.write_text(PAGES, encoding="utf-8", newline="\n")
        self._recorder.run(
            ImportCorpus(files=(file,), languages=("en",), names=(WEB_CORPUS_NAME,))
        )
        project = self._recorder.project
        view = self._view()
        names = [name_corpus(project.corpora, row) for row in project.corpora]
        german, turkish = (self._name_of(code) for code in ("de", "tr"))
        searches: list[Params] = [
            FindLeakage(corpus=german, within=(turkish,)),
            CheckCorpus(corpora=(WEB_CORPUS_NAME,)),
            FindDuplicates(corpora=(WEB_CORPUS_NAME, german), across=True),
        ]
        if any(card.name == TRAINED for card in self._state.encoders.cards):
            encoders = (TRAINED, self._state.encoders.chosen)
            searches.append(
                CompareEncoders(corpora=tuple(names[:4]), encoders=encoders)
            )
        for search in searches:
            self._recorder.wait(
                self._state.run_finished, partial(view.controller.run, search)
            )
        self._window.message_bar.clear()

    def _show_duplicates(self) -> None:
        view = self._begin("Duplicates")
        view.page.table.choose_row(1)

    def _show_check(self) -> None:
        view = self._begin("Sentence check")
        view.page.table.choose_row(1)

    def _show_leaks(self) -> None:
        view = self._begin("Test-set leakage")
        view.page.table.choose_row(2)

    def _show_encoders(self) -> None:
        view = self._begin("Encoder comparison")
        view.page.table.choose_row(0)

    def _show_form(self) -> QWidget:
        view = self._begin("Duplicates")
        view.controller.open_dialog(FindDuplicates)
        dialog: QualityDialog = view.findChildren(QualityDialog)[-1]
        return dialog

    # --- helpers ---

    def _begin(self, title: str) -> QualityView:
        self._prepare()
        view = self._view()
        found = [row.id for row in view.list.rows if row.title.startswith(title)]
        if found:
            view.list.choose(found[0])
        view.page.choose_kinds(())
        view.setFocus()
        return view

    def _view(self) -> QualityView:
        return self._recorder.show_view("quality", QualityView)

    def _name_of(self, language: str) -> str:
        row = self._recorder.find_corpus(language)
        return name_corpus(self._recorder.project.corpora, row)
