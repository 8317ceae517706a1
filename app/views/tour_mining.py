"""The tour's part on mining: pairs and scores, the form, a recipe, an evaluation."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.engine.store import pair_rows, rows
from app.pair_changes import JudgePairs, Verdict
from app.params import EvaluateMining, ScorePairs
from app.views.widgets.mining_dialog import MiningDialog

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

THRESHOLD = 1.15
JUDGED: dict[Verdict, tuple[int, ...]] = {  # places in the order of the scores
    "accept": (0, 1, 3, 4, 6),
    "reject": (80, 95),
    "flag": (5,),
}
MEASURED = "sw"  # with English: a language with errors to look at
N_SETS = 2  # of pairs: mined, and scored
RECIPE = ("length min=12 max=90", "ratio max=1.6", "numbers", "names")


class MiningTour:
    """Goes through the mine view."""

    def __init__(self, stage: "TourStage", folder: Path):
        """Take a stage, and a folder for the files of a gold standard."""
        self._stage, self._folder = stage, folder
        self._window, self._state = stage.window, stage.state

    def mine(self) -> None:
        """Mine what the view proposes, judge some pairs, score a bitext, evaluate."""
        view = self._view()
        self._run(view.jobs.mine_suggested)
        self._stage.wait_until(self._state.minings_changed, lambda: bool(self._minings))
        first = pair_rows.first_pair_id(self._minings[0].id)
        for verdict, places in JUDGED.items():
            pairs = tuple(first + place for place in places)
            self._stage.edit(JudgePairs(pairs=pairs, verdict=verdict))
        source, target = (self._corpus(code) for code in ("en", "de"))
        params = ScorePairs(source=source.name, target=target.name)
        self._run(lambda: self._state.run(params))
        evaluation = self._write_gold(source, self._corpus(MEASURED))
        self._run(lambda: self._state.run(evaluation))
        self._stage.wait_until(
            self._state.minings_changed, lambda: len(self._minings) == N_SETS
        )
        self._window.message_bar.clear()

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
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
        self._stage.wait(page.pairs.shown, page.pairs.refresh)
        page.pairs.table.select_row(2)

    def _show_form(self) -> QWidget:
        view = self._view()
        self._show_mining("mined", 0)
        view.jobs.ask_mining()
        dialog: MiningDialog = view.findChildren(MiningDialog)[-1]
        dialog.form.write({"filters": ["length min=3 max=400", "numbers"]})
        self._stage.wait(dialog.planned, lambda: None)
        return dialog

    def _show_recipe(self) -> None:
        editor = self._show_mining("mined", 1).recipe
        self._stage.wait(editor.previewed, lambda: editor.set_lines(RECIPE))
        editor.show_examples(1)

    def _show_scored(self) -> None:
        page = self._show_mining("scored", 0)
        page.pairs.table.select_row(0)

    def _show_evaluation(self) -> None:
        view = self._view()
        view.column.evaluations.choose(view.column.evaluations.ids[0])

    def _show_mining(self, kind: str, tab: int) -> Any:
        view = self._view()
        row = next(one for one in self._minings if one.kind == kind)
        view.show_mining(row.id)
        view.page.tabs.setCurrentIndex(tab)
        return view.page

    def _run(self, begin: Any) -> None:
        self._stage.wait(self._state.run_finished, begin)

    @property
    def _minings(self) -> list[pair_rows.MiningRow]:
        assert self._state.project is not None
        return self._state.project.minings

    def _corpus(self, language: str) -> rows.CorpusRow:
        assert self._state.project is not None
        corpora = self._state.project.corpora
        return next(row for row in corpora if row.language == language)

    def _view(self) -> Any:
        self._window.show_view("mining")
        return self._window.view

    def _write_gold(
        self, source: rows.CorpusRow, target: rows.CorpusRow
    ) -> EvaluateMining:
        """Write two corpora and the links between them as BUCC has them."""
        project = self._state.project
        assert project is not None
        names: list[list[str]] = []
        for corpus in (source, target):
            first = rows.first_id(corpus.id)
            ids = range(first, first + corpus.n_sentences)
            found = [row for row in rows.read_sentences(project.store, ids) if row]
            names.append([f"{corpus.language}-{row.line:06d}" for row in found])
            lines = [
                f"{name}\t{row.text}"
                for name, row in zip(names[-1], found, strict=True)
            ]
            self._write(f"{corpus.language}.tsv", lines)
        places = pair_rows.read_links(project.store, source.id, target.id)
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
