"""The breakdown counts hits and searched words by corpus, document and field."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import list_corpora
from app.engine.store.documents import DocumentCache
from app.engine.tasks.index_words import index_words
from app.params.words import IndexWords
from app.views.concordance.model import KwicLines
from app.views.concordance.session import LoadedConcordance
from app.views.concordance.settings import ConcordanceSettings
from app.views.concordance.shares import (
    DistributionPanel,
    HitDistribution,
    SearchedCorpus,
    Share,
    ShareBars,
    ShareKey,
    count_shares,
    list_searched,
)
from tests.views.stage import Stage, build_project, sentence_id

NOVELS = ["He said no.", "She said yes and left.", "So it was.", "They said it."]
NEWS = ["He said so.", "No one was there."]
DOCUMENTS = [
    ("Emma", 0, 2, {"year": "1815", "genre": "social"}),
    ("Dracula", 2, 2, {"year": "1897", "genre": "gothic"}),
]


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    folder = build_project(
        tmp_path / "p.isogloss",
        {"novels": ("en", NOVELS), "news": ("en", NEWS)},
        is_encoded=False,
    )
    with open_project(folder) as project:
        with project.store.begin() as connection:
            for name, first, n, fields in DOCUMENTS:
                row = {"corpus_id": 1, "first": first, "n_sentences": n, "name": name}
                row["fields"] = json.dumps(fields)
                connection.execute(insert(schema.document).values(**row))
        index_words(project, IndexWords(corpora=("novels",)), Report())
    stage = Stage(folder)
    stage.open(qtbot)
    yield stage
    stage.close()


def count(stage: Stage, settings: ConcordanceSettings) -> HitDistribution:
    """Count the hits of "said" in the corpora of a query."""
    project = stage.state.project
    assert project is not None
    places = [(1, 0), (1, 1), (1, 3), (2, 0)]
    ids = [
        sentence_id(*place)
        for place in places
        if not settings.corpora or place[0] in settings.corpora
    ]
    lines = KwicLines(np.array([(id_, 0, 4) for id_ in ids], np.int64))
    found = LoadedConcordance(settings, lines)
    searched = list_searched(project, found)
    return count_shares(lines.lines, searched, DocumentCache(project.store))


def test_fields_and_words_are_counted(stage: Stage) -> None:
    shares = count(stage, ConcordanceSettings(text="said", corpora=(1,)))
    assert shares.corpora == [Share("novels", 3, 4, 14)]
    assert shares.languages == [Share("English", 3, 4, 14)]
    # Emma: 3 + 5 words, Dracula: 3 + 3 words
    assert shares.documents == [Share("Emma", 2, 0, 8), Share("Dracula", 1, 0, 6)]
    assert shares.fields == {
        "genre": [Share("social", 2, 0, 8), Share("gothic", 1, 0, 6)],
        "year": [Share("1815", 2, 0, 8), Share("1897", 1, 0, 6)],
    }


def test_parts_with_words_that_are_not_indexed_have_no_rate(stage: Stage) -> None:
    shares = count(stage, ConcordanceSettings(text="said"))
    assert shares.corpora == [Share("novels", 3, 4, 14), Share("news", 1, 2, 0)]
    assert shares.languages == [Share("English", 4, 6, 0)]


def test_the_words_of_languages_without_hits_are_not_waited_for(
    tmp_path: Path, qtbot: QtBot
) -> None:
    texts = {"novels": ("en", NOVELS), "Romane": ("de", ["Er ging.", "Sie kam."])}
    folder = build_project(tmp_path / "q.isogloss", texts, is_encoded=False)
    with open_project(folder) as project:
        with project.store.begin() as connection:
            for corpus in (1, 2):
                row = {"corpus_id": corpus, "first": 0, "n_sentences": 2, "name": "x"}
                row["fields"] = json.dumps({"year": "1815"})
                connection.execute(insert(schema.document).values(**row))
        index_words(project, IndexWords(corpora=("novels",)), Report())
    stage = Stage(folder)
    stage.open(qtbot)
    reader = stage.state.project
    assert reader is not None
    lines = np.array([(sentence_id(1, n), 0, 4) for n in range(2)], np.int64)
    found = LoadedConcordance(ConcordanceSettings(text="said"), KwicLines(lines))
    searched, documents = list_searched(reader, found), DocumentCache(reader.store)
    shares = count_shares(lines, searched, documents)
    assert shares.fields["year"] == [Share("1815", 2, 0, 8)]
    stage.close()


def bar_lengths(bars: ShareBars) -> list[int]:
    """Return how many pixels of each bar are filled."""
    image, height = bars.grab().toImage(), bars.height() // 2
    y = [height * (n + 1) - 8 for n in range(2)]
    filled = image.pixelColor(1, y[0])
    return [
        sum(image.pixelColor(x, one) == filled for x in range(image.width()))
        for one in y
    ]


def test_bars_show_rates_where_they_are_known(qtbot: QtBot) -> None:
    key = ShareKey("field", "", "year")
    for shares, is_first_longer in (
        ([Share("2001", 9), Share("2002", 6)], True),
        ([Share("2001", 9, 0, 9_000), Share("2002", 6, 0, 2_000)], False),
    ):
        bars = ShareBars(shares, key)
        qtbot.addWidget(bars)
        bars.resize(bars.sizeHint())
        first, second = bar_lengths(bars)
        assert (first > second) == is_first_longer


def test_only_searched_sentences_count(stage: Stage) -> None:
    project = stage.state.project
    assert project is not None
    with open_project(stage.folder) as own, own.store.begin() as connection:
        row = {"sentence_id": sentence_id(1, 1), "state": "hidden", "step": 1}
        connection.execute(insert(schema.hidden).values(**row))
    shares = count(stage, ConcordanceSettings(text="said", corpora=(1,)))
    assert shares.corpora[0].n_words == 9
    shares = count(
        stage, ConcordanceSettings(text="said", corpora=(1,), languages=("de",))
    )
    assert shares.corpora[0].n_words == 0


def test_years_and_dates_are_shown_in_their_order(tmp_path: Path, qtbot: QtBot) -> None:
    """The older a text, the fewer hits it has: by hits, the order would be reversed."""
    years = [str(1900 + 5 * n) for n in range(15)]
    texts = [str(n) for n in range(15)]
    folder = build_project(tmp_path / "p", {"press": ("en", texts)}, is_encoded=False)
    with open_project(folder) as project:
        with project.store.begin() as connection:
            for index, year in enumerate(years):
                fields = {"year": year, "date": f"{year}-03-31", "genre": f"g{index}"}
                row = {"corpus_id": 1, "first": index, "n_sentences": 1, "name": ""}
                row["fields"] = json.dumps(fields)
                connection.execute(insert(schema.document).values(**row))
        ids = [sentence_id(1, index) for index in range(15) for _ in range(index + 1)]
        lines = np.array([(id_, 0, 1) for id_ in ids], np.int64)
        searched = [SearchedCorpus(row) for row in list_corpora(project.store)]
        shares = count_shares(lines, searched, DocumentCache(project.store))
    assert [one.name for one in shares.fields["year"]] == years
    assert [one.name for one in shares.fields["date"]] == [f"{y}-03-31" for y in years]
    assert [one.name for one in shares.fields["genre"][:2]] == ["g14", "g13"]
    panel = DistributionPanel()
    qtbot.addWidget(panel)
    panel.show_shares(shares)
    dates, genres, shown = (one.toolTip() for one in panel.findChildren(ShareBars)[2:5])
    assert len(dates.splitlines()) == len(shown.splitlines()) == 15
    assert genres.splitlines()[-1] == "3 more: 6"


def test_the_panel_shows_a_section_for_each_field(stage: Stage, qtbot: QtBot) -> None:
    panel = DistributionPanel()
    qtbot.addWidget(panel)
    panel.show_shares(count(stage, ConcordanceSettings(text="said", corpora=(1,))))
    bars = [one.toolTip() for one in panel.findChildren(ShareBars)]
    assert bars[2].splitlines() == [
        "social: 2 · 250,000 per million words",
        "gothic: 1 · 166,667 per million words",
    ]
