"""What pairs look like: joined sentences, one side without any, in the order asked."""

from pathlib import Path

from sqlalchemy import update

from app.engine.project.project import create_project
from app.engine.store import schema
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.pairs.texts import join_sentences, read_pair_texts
from app.protocol.edits.pairs import SwapRunnerUp
from tests.engine.review.made import add_corpora, add_pairs, edit

FIRST = first_pair_id(1)


def test_sentences_in_a_row_are_joined_and_an_empty_side_has_no_text(
    tmp_path: Path,
) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpora(project)
        add_pairs(project)
        table = schema.pair
        for place, values in ((0, {"n_source": 3}), (1, {"n_target": 0})):
            statement = update(table).where(table.c.id == FIRST + place).values(values)
            with project.store.begin() as connection:
                connection.execute(statement)
        edit(project, SwapRunnerUp(pair=FIRST, side="source"))
        edit(project, SwapRunnerUp(pair=FIRST + 2))
        swapped, empty, missing, third = read_pair_texts(
            project.store, [FIRST, FIRST + 1, FIRST + 99, FIRST + 2]
        )
        assert missing is None
        assert swapped is not None
        assert empty is not None
        assert third is not None
        assert swapped.source.text == "Schiff 1"  # one sentence stands for three
        assert (empty.target.text, empty.target.sentences) == ("", ())
        assert (empty.target.corpus_id, empty.target.line) == (2, 0)
        assert (third.target.text, third.target.line) == ("ship 3", 4)
        edit(project, SwapRunnerUp(pair=FIRST, side="source"))
        (back,) = read_pair_texts(project.store, [FIRST])
        assert back is not None
        assert back.source.text == "Schiff 0 Schiff 1 Schiff 2"
        assert not back.source.is_swapped


def test_sentences_are_joined_as_their_script_does() -> None:
    assert join_sentences(["海。", "船。"], "zh-Hans") == "海。船。"
    assert join_sentences(["바다.", "배."], "ko") == "바다. 배."
