"""Tour of sentence pairs: alignment, mining and review."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtWidgets import QWidget

from app.engine.store import corpora as store_corpora
from app.engine.store.pairs import sets
from app.engine.store.pairs.texts import read_pair_texts
from app.engine.store.sentences import read_sentences, read_translations
from app.params.corpora import ImportCorpus
from app.params.mining import AlignDocuments, EvaluateMining, ScorePairs
from app.params.pairs import ExportPackage, MergePackage, OpenPackage, ReturnPackage
from app.paths import resource_dir
from app.protocol.edits.pairs import JudgePairs, Verdict
from app.tour.recorder import SceneRecorder, Scenes
from app.views.alignment.view import AlignmentView
from app.views.mining.dialog import MiningDialog
from app.views.mining.page import MiningPage
from app.views.mining.view import MiningView
from app.views.read.model import Place
from app.views.read.session import ReadingSource
from app.views.read.view import ReadView
from app.views.review.dialogs import RangeDialog
from app.views.review.queue import QueueSettings
from app.views.review.view import ReviewView
from app.views.widgets.corpus_choices import suggest_params
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.view_protocol import ReadingRequest

PAPERS = {"de": "Der Anzeiger", "en": "The Gazette", "ar": "الجريدة", "ja": "新聞"}


class AlignmentTour:
    """Takes pictures of the alignment view and the read view."""

    def __init__(self, recorder: SceneRecorder, folder: Path):
        """Initialise with a recorder and a folder for the documents."""
        self._recorder, self._folder = recorder, folder
        self._window, self._state = recorder.window, recorder.state

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "align": self._show_papers,
            "align-right-to-left": self._show_scripts,
            "align-documents": self._show_dialog,
            "read": self._show_rows,
            "read-scripts": self._show_scripts_in_rows,
        }

    def _show_papers(self) -> None:
        view = self._view(0)
        if view.model.count()[3] == 0:
            for place in (0, 1, 2, 4):
                self._edit(view, place, view.controller.confirm)
            self._edit(view, 6, view.controller.actions["merge"].trigger)
            model = view.model
            self._recorder.wait_until(  # the score arrives after the merge
                model.replaced, lambda: bool(model.beads.confidences[6] >= 0)
            )
        view.board.select(6)

    def _show_scripts(self) -> None:
        self._view(1).board.select(3, "target")
        self._recorder.wait_for_neighbours()

    def _show_rows(self) -> None:
        """Show two aligned documents, and the translations of a word."""
        self._read(0, row=6, n_words=3)

    def _show_scripts_in_rows(self) -> None:
        self._read(1, row=3, n_words=7)

    def _read(self, index: int, *, row: int, n_words: int) -> None:
        alignment = self._view(index).model.alignment
        assert alignment is not None
        first = store_corpora.first_sentence_id(alignment.source_corpus_id)
        view = self._recorder.show_view("read", ReadView)
        session, source = view.session, ReadingSource(alignment.source_corpus_id)
        self._recorder.wait(
            session.rows_changed, lambda: session.open(source, None, alignment.id)
        )
        view.read_from(ReadingRequest(first))
        view.board.select(Place(row, 0))
        for _ in range(n_words):
            view.controller.actions["next_word"].trigger()
            self._recorder.wait_until(
                view.words.described, lambda: bool(view.words.description)
            )

    def _show_dialog(self) -> QWidget:
        view = self._view(0)
        self._recorder.wait(  # for the most similar texts
            self._recorder.state.request_answered, view.controller.ask_alignment
        )
        dialogs: list[QWidget] = view.findChildren(TaskDialog)
        return dialogs[-1]

    def _view(self, index: int) -> AlignmentView:
        if not self._alignments():
            self._align()
        view = self._recorder.show_view("alignment", AlignmentView)
        view.show_alignment(self._alignments()[index])
        return view

    def _alignments(self) -> list[int]:
        """Return the ids of the alignments, newest first."""
        project = self._recorder.project
        return [row.id for row in project.minings if row.kind == "aligned"]

    def _align(self) -> None:
        """Import four documents, and align them in pairs."""
        folder = resource_dir() / "samples" / "papers"
        for language, name in PAPERS.items():
            params = ImportCorpus(
                files=(folder / f"{language}.txt",),
                languages=(language,),
                names=(name,),
            )
            self._recorder.run(params)
        self._recorder.run(AlignDocuments(source=PAPERS["ar"], target=PAPERS["ja"]))
        self._recorder.run(AlignDocuments(source=PAPERS["de"], target=PAPERS["en"]))
        self._recorder.wait_until(
            self._state.minings_changed, lambda: len(self._alignments()) == 2
        )
        self._window.message_bar.clear()

    def _edit(
        self, view: AlignmentView, index: int, edit: Callable[[], object]
    ) -> None:
        view.board.select(index)
        self._recorder.wait(view.model.replaced, edit)


THRESHOLD = 1.15
JUDGED: dict[Verdict, tuple[int, ...]] = {  # indices in the order of scores
    "accept": (0, 1, 3, 4, 6),
    "reject": (80, 95),
    "flag": (5,),
}
MEASURED = "sw"  # pairs of this language with English contain errors to show
N_SETS = 2  # pair sets: mined and scored
RECIPE = ("length min=12 max=90", "ratio max=1.6", "numbers", "names")


class MiningTour:
    """Takes pictures of the mine view."""

    def __init__(self, recorder: SceneRecorder, folder: Path):
        """Initialise with a recorder and a folder for the files of a gold standard."""
        self._recorder, self._folder = recorder, folder
        self._window, self._state = recorder.window, recorder.state

    def mine(self) -> None:
        """Mine with the proposed settings, judge pairs, score a bitext, evaluate."""
        view = self._view()
        values = suggest_params(self._recorder.project)
        if values is not None:
            self._run(partial(view.controller.mine, values))
        self._recorder.wait_until(
            self._state.minings_changed, lambda: bool(self._minings)
        )
        first = sets.first_pair_id(self._minings[0].id)
        for verdict, places in JUDGED.items():
            pairs = tuple(first + place for place in places)
            self._recorder.edit(JudgePairs(pairs=pairs, verdict=verdict))
        source, target = (self._recorder.find_corpus(code) for code in ("en", "de"))
        params = ScorePairs(source=source.name, target=target.name)
        self._recorder.run(params)
        evaluation = self._write_gold(source, self._recorder.find_corpus(MEASURED))
        self._recorder.run(evaluation)
        self._recorder.wait_until(
            self._state.minings_changed, lambda: len(self._minings) == N_SETS
        )
        self._window.message_bar.clear()

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "mining": self._show_pairs,
            "mining-form": self._show_form,
            "mining-recipe": self._show_recipe,
            "mining-scored": self._show_scored,
            "mining-evaluation": self._show_evaluation,
        }

    def _show_pairs(self) -> None:
        page = self._show_mining("mined", 0)
        page.pairs.threshold.set_threshold(THRESHOLD)
        self._recorder.wait(page.pairs.shown, page.pairs.refresh)
        page.pairs.table.select_row(2)

    def _show_form(self) -> QWidget:
        view = self._view()
        self._show_mining("mined", 0)
        view.controller.ask_mining()
        dialog: MiningDialog = view.findChildren(MiningDialog)[-1]
        dialog.form.write({"filters": ["length min=3 max=400", "numbers"]})
        self._recorder.wait(dialog.planned, lambda: None)
        return dialog

    def _show_recipe(self) -> None:
        editor = self._show_mining("mined", 1).recipe
        self._recorder.wait(editor.previewed, lambda: editor.set_lines(RECIPE))
        editor.show_examples(1)

    def _show_scored(self) -> None:
        page = self._show_mining("scored", 0)
        page.pairs.table.select_row(0)

    def _show_evaluation(self) -> None:
        view = self._view()
        view.sidebar.evaluations.choose(view.sidebar.evaluations.ids[0])

    def _show_mining(self, kind: str, tab: int) -> MiningPage:
        view = self._view()
        row = next(one for one in self._minings if one.kind == kind)
        view.show_mining(row.id)
        view.page.tabs.setCurrentIndex(tab)
        return view.page

    def _run(self, begin: Callable[[], object]) -> None:
        self._recorder.wait(self._state.run_finished, begin)

    @property
    def _minings(self) -> list[sets.PairSetRow]:
        return self._recorder.project.minings

    def _view(self) -> MiningView:
        return self._recorder.show_view("mining", MiningView)

    def _write_gold(
        self, source: store_corpora.CorpusRow, target: store_corpora.CorpusRow
    ) -> EvaluateMining:
        """Write two corpora and their gold links in BUCC format."""
        project = self._recorder.project
        names: list[list[str]] = []
        for corpus in (source, target):
            first = store_corpora.first_sentence_id(corpus.id)
            ids = range(first, first + corpus.n_sentences)
            found = [row for row in read_sentences(project.store, ids) if row]
            names.append([f"{corpus.language}-{row.line:06d}" for row in found])
            lines = [
                f"{name}\t{row.text}"
                for name, row in zip(names[-1], found, strict=True)
            ]
            self._write(f"{corpus.language}.tsv", lines)
        places = sets.read_links(project.store, source.id, target.id)
        pairs = zip(*(place.tolist() for place in places), strict=True)
        gold = [f"{names[0][row]}\t{names[1][other]}" for row, other in pairs]
        return EvaluateMining(
            source=self._folder / f"{source.language}.tsv",
            target=self._folder / f"{target.language}.tsv",
            gold=self._write("gold.tsv", gold),
        )

    def _write(self, name: str, lines: list[str]) -> Path:
        file = self._folder / name
        file.write_text("\n".join(lines), encoding="utf-8", newline="\n")
        return file


N_JUDGED, N_HANDED_OVER, N_ODD = 70, 40, 3
ANNOTATOR = "Anna"


class ReviewTour:
    """Takes pictures of the review view."""

    def __init__(self, recorder: SceneRecorder, folder: Path):
        """Initialise with a recorder and a folder for packages and Anna's project."""
        self._recorder, self._folder = recorder, folder
        self._window, self._state = recorder.window, recorder.state

    def judge(self) -> None:
        """Judge the most informative pairs of the demo, and some of them as Anna."""
        view = self._view(QueueSettings(order="value"))
        keys = {True: view.commands["accept"], False: view.commands["reject"]}
        for _ in range(N_JUDGED):
            pair = view.session.shown
            if pair is None:
                break
            keys[self._is_right(pair.texts.pair)].trigger()
            self._wait_saved(view)
        self._hand_over()
        self._window.message_bar.clear()

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "review": self._show_pair,
            "review-edit": self._show_editing,
            "review-range": self._show_range,
            "review-conflicts": self._show_conflict,
        }

    def _show_pair(self) -> None:
        view = self._view(QueueSettings(which="all"))
        self._go_to_numbers(view)

    def _show_editing(self) -> None:
        view = self._view(QueueSettings(which="all"))
        self._go_to_numbers(view)
        view.commands["edit"].trigger()
        assert view.session.shown is not None
        text = view.session.shown.target.text.replace(",", " –", 1)
        view.page.text_view.target.editor.setPlainText(text)

    def _show_range(self) -> QWidget:
        view = self._view(QueueSettings(which="unjudged"))
        before = set(view.window().findChildren(QWidget, "reviewDialog"))
        view.commands["judge_range"].trigger()
        dialogs = view.window().findChildren(QWidget, "reviewDialog")
        dialog = next(one for one in dialogs if one not in before)
        assert isinstance(dialog, RangeDialog)
        dialog.verdict.setCurrentIndex(0)
        if not dialog.lowest.text():  # without a suggested threshold
            dialog.lowest.setText("1")
            dialog.lowest.textEdited.emit("1")
        self._recorder.wait(dialog.counted, lambda: None)
        return dialog

    def _show_conflict(self) -> None:
        view = self._view(QueueSettings(which="conflict"))
        self._wait_explained(view)
        self._recorder.wait(view.sidebar.agreement.shown, view.sidebar.agreement.ask)

    # --- helpers ---

    def _view(self, choice: QueueSettings) -> ReviewView:
        """Show the review of the mined pairs with a new queue order."""
        project = self._recorder.project
        mining = next(row for row in project.minings if row.kind == "mined")
        view = self._recorder.show_view("review", ReviewView)
        queue = view.session.queue
        if queue.is_loading:
            self._recorder.wait(queue.loaded, lambda: None)
        self._recorder.wait(queue.loaded, partial(view.session.load, mining.id, choice))
        return view

    def _go_to_numbers(self, view: ReviewView) -> None:
        """Select the first pair with different numbers; wait for its explanation."""
        queue = view.session.queue
        while (
            view.session.shown is not None and not view.session.shown.marks.has_numbers
        ):
            queue.go(queue.place + 1)
        if view.session.shown is None:
            queue.go(0)
        self._wait_explained(view)
        side = view.sidebar
        self._recorder.wait(side.threshold.shown, side.threshold.ask)

    def _wait_explained(self, view: ReviewView) -> None:
        explainer, pair = view.session.explainer, view.session.queue.current
        assert pair is not None
        self._recorder.wait_until(
            explainer.explained, lambda: explainer.get(pair) is not None
        )

    def _wait_saved(self, view: ReviewView) -> None:
        outbox = view.session.outbox
        self._recorder.wait_until(outbox.changed, lambda: not outbox.unsaved)

    def _is_right(self, pair: sets.PairRow) -> bool:
        project = self._recorder.project
        known = read_translations(project.store, pair.source_id)
        return pair.target_id in [row.id for row in known]

    # --- the other annotator ---

    def _hand_over(self) -> None:
        """Export a package to Anna, who judges some pairs differently, and merge it."""
        project = self._recorder.project
        mining = next(row for row in project.minings if row.kind == "mined")
        truth = self._true_pairs(mining)
        package = self._folder / "to-judge.pairs.gz"
        judged = self._folder / "judged.pairs.gz"
        name = str(mining.id)
        self._recorder.run(
            ExportPackage(pairs=name, out=package, n=N_HANDED_OVER, which="judged")
        )
        self._open(self._folder / "anna.isogloss", "create")
        self._recorder.run(OpenPackage(package=package))
        self._judge_as_anna(truth)
        (taken,) = self._minings()
        self._recorder.run(
            ReturnPackage(pairs=str(taken.id), out=judged, annotator=ANNOTATOR)
        )
        self._open(project.folder, "open")
        self._recorder.run(MergePackage(package=judged, annotator=ANNOTATOR))

    def _judge_as_anna(self, truth: set[tuple[str, str]]) -> None:
        """Judge pairs correctly, except for the first ones."""
        self._recorder.wait_until(
            self._state.minings_changed, lambda: bool(self._minings())
        )
        (taken,) = self._minings()
        project = self._recorder.project
        ids = sets.pair_ids(taken).tolist()
        for index, texts in enumerate(read_pair_texts(project.store, ids)):
            if texts is not None:
                is_right = (texts.source.text, texts.target.text) in truth
                verdict: Verdict = "accept" if is_right != (index < N_ODD) else "reject"
                self._recorder.edit(JudgePairs(pairs=(texts.pair.id,), verdict=verdict))

    def _true_pairs(self, mining: sets.PairSetRow) -> set[tuple[str, str]]:
        """Return the texts of the pairs that are translations of each other."""
        project = self._recorder.project
        ids = sets.pair_ids(mining).tolist()
        return {
            (texts.source.text, texts.target.text)
            for texts in read_pair_texts(project.store, ids)
            if texts is not None and self._is_right(texts.pair)
        }

    def _minings(self) -> list[sets.PairSetRow]:
        return self._state.project.minings if self._state.project is not None else []

    def _open(self, folder: Path, mode: Literal["open", "create"]) -> None:
        open_it = partial(self._state.open_project, folder, mode)
        self._recorder.wait(self._state.project_opened, open_it)
