"""Comparison of encoders in a report."""

from app.engine.reporting.tables import comparison_tables
from app.results.measurements import Measurement, Probed, SpaceMeasured


def probed(encoder: str, data: str, accuracy: float) -> Probed:
    return Probed(
        encoder=encoder,
        data=data,
        task="Tense",
        language="de",
        classifier="logistic",
        n=9,
        n_train=9,
        n_classes=2,
        accuracy=accuracy,
        accuracy_interval=(accuracy - 0.1, accuracy + 0.1),
    )


def test_what_was_measured_is_a_row_and_an_encoder_a_column() -> None:
    rows: list[Measurement] = [
        probed("one", "a.tsv", 0.5),
        probed("one", "b.tsv", 0.6),
        probed("two", "b.tsv", 0.7),
        SpaceMeasured(encoder="one", measure="isotropy", first="de", n=9, value=0.5),
    ]
    (table,) = comparison_tables(rows)  # a single encoder has nothing beside it
    assert table.title == "Comparison: Accuracy, %"
    assert table.head == ["File", "one", "two"]
    assert table.numeric == {1, 2}
    assert table.note == "In all rows: Classifier: logistic."
    cells = [[cell.replace("\u00a0", " ") for cell in row] for row in table.rows]
    assert cells == [
        ["a.tsv", "50.0 (40.0 – 60.0)", ""],
        ["b.tsv", "60.0 (50.0 – 70.0)", "70.0 (60.0 – 80.0)"],
    ]


def test_a_long_table_is_left_to_the_runs() -> None:
    rows = [probed(name, f"{n}.tsv", 0.5) for name in ("one", "two") for n in range(41)]
    assert not list(comparison_tables(rows))
    (short,) = comparison_tables([row for row in rows if row.data != "40.tsv"])
    assert len(short.rows) == 40
