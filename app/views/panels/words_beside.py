"""What stands beside a list of words: a picture of it, or examples of an equivalent."""

from PySide6.QtWidgets import QStackedLayout, QWidget

from app.engine.store import rows
from app.views.panels.chart_pane import ChartPane
from app.views.state import AppState
from app.views.widgets.word_examples import Pair, WordExamples
from app.views.words_columns import Row, written_form
from app.views.words_desk import Listed
from app.views.words_words import describe_missing
from app.word_charts import chart_of


class WordsBeside(QWidget):
    """Shows one or the other.

    Attributes:
        charts: the picture.
        examples: of an equivalent.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._word = ""  # whose equivalents are shown
        self.charts = ChartPane(state)
        self.examples = WordExamples()
        self.examples.chosen.connect(state.select_sentence)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.charts)
        self._pages.addWidget(self.examples)

    def show_list(self, listed: Listed, dictionary: str) -> None:
        """Show the picture of a list, or what a dictionary has besides it.

        Args:
            listed: the list.
            dictionary: name of the one that it was checked with.
        """
        self._word = listed.question.text
        is_equivalents = listed.question.page == "equivalents"
        self._pages.setCurrentWidget(self.examples if is_equivalents else self.charts)
        chart = chart_of(listed.question.page, listed.rows)
        self.charts.show_charts([chart] if chart is not None else [])
        self.examples.show_missing(describe_missing(listed, dictionary))

    def show_row(self, row: Row | None) -> None:
        """Show examples of the equivalent of a row."""
        project = self._state.project
        pairs = row.get("examples") if row is not None else None
        if row is None or project is None or pairs is None:
            self.examples.show_examples("", [])
            return
        ids = [id_ for pair in pairs for id_ in pair]
        found = {one.id: one for one in rows.read_sentences(project.store, ids) if one}
        names = {corpus.id: corpus.name for corpus in project.corpora}
        shown: list[Pair] = [
            (
                *(found[source], names.get(rows.corpus_of(source), "")),
                *(found[target], names.get(rows.corpus_of(target), "")),
            )
            for source, target in pairs
            if source in found and target in found
        ]
        heading = self.tr("Examples of “{word}”").format(word=written_form(row))
        words = (self._word, str(row["item"]))
        self.examples.show_examples(heading, shown, words)


__all__ = ["WordsBeside"]
