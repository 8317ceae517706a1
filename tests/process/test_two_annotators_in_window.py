"""Two annotators and two projects, through the window: hand over, merge, settle."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QLabel, QLineEdit, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import update

from app.engine.project.project import Project, create_project, open_project
from app.engine.store import schema
from app.paths import settings_file
from app.protocol.edits.pairs import JudgePairs, SwapRunnerUp
from app.settings import Settings, save_settings
from app.views.review.package_dialogs import MergeDialog, PackageDialog
from app.views.review.queue import QueueSettings
from app.views.review.view import ReviewView
from app.views.shell.settings_dialog import SettingsDialog
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.task_dialog import TaskDialog
from tests.engine.review.made import edit, verdicts
from tests.engine.review.packages.handing import hand_back, hand_over, take, texts_of
from tests.process.windows import WAIT_MS, Windows
from tests.views.reviewing import make_pairs, pair_id, press, wait_for_queue

N = 8
KEYS = {"A": Qt.Key.Key_A, "R": Qt.Key.Key_R}
ADA = "AARRAA"  # pairs 6 and 7 are left
BEN = "ARRAAAAR"  # 1 and 3 are judged otherwise
COUNTS = f"2 judged · {N - 2} to judge · 1 flagged by Ben"
OpenAs = Callable[[str, Path], ReviewView]


@pytest.fixture
def open_as(windows: Windows) -> OpenAs:
    """Open a project as somebody with a name."""

    def _open(name: str, folder: Path) -> ReviewView:
        save_settings(Settings(user_name=name), settings_file())
        view = windows.open(folder, "review").view
        assert isinstance(view, ReviewView)
        return view

    return _open


def wait_at_queue(view: ReviewView, qtbot: QtBot) -> None:
    wait_for_queue(view, lambda is_so: qtbot.waitUntil(is_so, timeout=WAIT_MS))


def judge(view: ReviewView, qtbot: QtBot, verdict_keys: str) -> None:
    for key in verdict_keys:
        press(view, KEYS[key])
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved, timeout=WAIT_MS)


def fill_and_run(view: ReviewView, qtbot: QtBot, action: str, **values: object) -> None:
    """Fill the dialog of an action, run it, and wait until the job is done."""
    view.commands[action].trigger()
    dialog = view.window().findChildren(TaskDialog)[-1]
    dialog.form.write(values)
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        dialog.run_button.click()
    view.window().activateWindow()
    qtbot.waitUntil(view.window().isActiveWindow, timeout=WAIT_MS)


def words_of(view: ReviewView) -> str:
    """Return all words that are to be seen on the page of the pair."""
    labels = view.page.findChildren(QLabel)
    return " | ".join(label.text() for label in labels if label.isVisibleTo(view))


def shown_opinions(view: ReviewView) -> Sequence[tuple[str, str]]:
    bar = view.page.annotators
    return [] if bar.isHidden() else [(one.who, one.verdict) for one in bar.judgements]


def test_a_package_shows_its_pairs_and_asks_before_it_replaces_a_file(
    open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mining = make_pairs(tmp_path / "mine.isogloss", N)
    with open_project(tmp_path / "mine.isogloss") as project:
        ids = tuple(pair_id(mining, index) for index in range(N))
        edit(project, JudgePairs(pairs=ids, target_text="of Ada"))
    file = tmp_path / "to-judge.pairs.gz"
    file.write_text("mine", encoding="utf-8")
    view = open_as("Ada", tmp_path / "mine.isogloss")
    wait_at_queue(view, qtbot)
    view.commands["export_package"].trigger()
    (dialog,) = view.window().findChildren(PackageDialog)
    dialog.form.write({"n": 3})
    qtbot.waitUntil(
        lambda: (
            dialog.preview.count.text()
            == f"3 pairs of {N}, with their context. 3 have changed texts."
        ),
        timeout=WAIT_MS,
    )
    assert dialog.preview.table.rowCount() == 3
    shown = dialog.preview.table.item(0, 1)
    assert shown is not None
    assert shown.text() == "of Ada"
    dialog.form.write({"out": tmp_path / "nowhere" / "a.pairs.gz"})
    assert "doesn't exist" in dialog.form.error_of("out")
    dialog.form.write({"out": file})
    dialog.run_button.click()
    (box,) = dialog.findChildren(QMessageBox)
    assert file.read_text(encoding="utf-8") == "mine"
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS) as finished:
        box.buttons()[0].click()
    assert finished.args[1]["pairs"] == 3
    assert file.read_bytes() != b"mine"
    qtbot.waitUntil(lambda: "Show in folder" in words_on_buttons(view), timeout=WAIT_MS)
    assert "Open" not in words_on_buttons(view)  # no other program opens a package


def words_on_buttons(view: ReviewView) -> set[str]:
    return {one.text() for one in view.window().findChildren(QPushButton)}


def test_a_package_goes_to_somebody_and_back_and_its_conflicts_are_settled_by_keys(
    windows: Windows, open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mine, other = tmp_path / "mine.isogloss", tmp_path / "other.isogloss"
    to_judge, judged = tmp_path / "to-judge.pairs.gz", tmp_path / "judged.pairs.gz"
    mining = make_pairs(mine, N)
    create_project(other).close()

    view = open_as("Ada", mine)
    wait_at_queue(view, qtbot)
    judge(view, qtbot, ADA)
    fill_and_run(view, qtbot, "export_package", out=to_judge, order="score")
    windows.close(view)

    view = open_as("Ben", other)
    assert view.empty_page.words[0] == "No pairs yet"
    fill_and_run(view, qtbot, "open_package", package=to_judge)
    wait_at_queue(view, qtbot)
    assert len(view.session.queue) == N  # as if nobody had judged them
    words = words_of(view)
    assert "The package has no scores." in words
    assert not any(word in words for word in ("margin", "cosine", "1.5", "0.75"))
    judge(view, qtbot, BEN)
    buttons = view.empty_page.findChildren(QPushButton)
    filled = [b.text() for b in buttons if b.isVisible() and b.property("primary")]
    assert filled == ["Return judgements…"]  # the package is finished
    fill_and_run(view, qtbot, "return_package", out=judged)
    windows.close(view)

    view = open_as("Ada", mine)
    fill_and_run(view, qtbot, "merge_package", package=judged)
    assert_merge_in_history(view, qtbot)
    panel = view.sidebar.agreement
    qtbot.waitUntil(lambda: not panel.isHidden(), timeout=WAIT_MS)
    assert panel.text.text() == (
        "6 pairs were accepted or rejected by both Ada and Ben; 2 pairs were judged by "
        "only one of them."
    )
    assert_agreement(view)
    assert panel.conflicts.text() == "Resolve 2 conflicts"

    panel.conflicts.click()
    qtbot.waitUntil(lambda: len(view.session.queue) == 2, timeout=WAIT_MS)
    wait_at_queue(view, qtbot)
    assert view.session.queue.current == pair_id(mining, 1)
    assert shown_opinions(view) == [("Ada", "accept"), ("Ben", "reject")]
    press(view, Qt.Key.Key_1)
    assert view.session.queue.current == pair_id(mining, 3)
    assert shown_opinions(view) == [("Ada", "reject"), ("Ben", "accept")]
    press(view, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not panel.conflicts.isEnabled(), timeout=WAIT_MS)
    assert panel.conflicts.text() == "No conflicts"
    assert_agreement(view)  # who settles a conflict knows what the other said

    press(view, Qt.Key.Key_Z, ctrl=True)
    qtbot.waitUntil(
        lambda: shown_opinions(view) == [("Ada", "reject"), ("Ben", "accept")],
        timeout=WAIT_MS,
    )
    assert view.session.queue.current == pair_id(mining, 3)
    qtbot.waitUntil(
        lambda: panel.conflicts.text() == "Resolve 1 conflict", timeout=WAIT_MS
    )
    press(view, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved, timeout=WAIT_MS)
    windows.close(view)
    with open_project(mine) as project:
        # as Ada said; 1 and 3 as it was settled; 6 and 7 as Ben alone said
        settled = ["accept", "accept", "reject", "accept", "accept", "accept"]
        assert verdicts(project, mining, N) == [*settled, "accept", "reject"]


def test_the_flag_of_another_annotator_is_shown_and_found(
    open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mine, judged = tmp_path / "mine.isogloss", tmp_path / "judged.pairs.gz"
    mining = make_pairs(mine, N)
    first, second = pair_id(mining, 0), pair_id(mining, 1)
    save_settings(Settings(user_name="Ada"), settings_file())
    with open_project(mine) as project:
        edit(project, JudgePairs(pairs=(first, second), verdict="accept"))
        hand_over(project, tmp_path / "p.pairs.gz", pairs=str(mining))
    with create_project(tmp_path / "other.isogloss") as project:
        row, ids = take(project, tmp_path / "p.pairs.gz")
        edit(project, JudgePairs(pairs=(ids[0],), verdict="accept"))
        edit(project, JudgePairs(pairs=(ids[1],), verdict="flag"))
        hand_back(project, judged, pairs=str(row.id))

    view = open_as("Ada", mine)
    fill_and_run(view, qtbot, "merge_package", package=judged)
    panel = view.sidebar.agreement
    qtbot.waitUntil(lambda: not panel.isHidden(), timeout=WAIT_MS)
    assert panel.text.text() == (
        "1 pair was accepted or rejected by both Ada and Ben; 1 pair is flagged or "
        "skipped by one of them."
    )
    qtbot.waitUntil(lambda: view.header.counts.text() == COUNTS, timeout=WAIT_MS)
    view.session.load(mining, QueueSettings(which="flag"))
    wait_at_queue(view, qtbot)
    assert view.queue_bar.which.currentText() == "Flagged by anyone"
    assert list(view.session.queue.ids) == [second]
    assert view.page.decision.verdict.text() == "Accepted"
    assert "Other judgements: Ben: flagged" in words_of(view)
    assert not any("Keep" in words for words in words_of(view).split(" | "))
    view.commands["export"].trigger()
    (dialog,) = view.findChildren(PairExportDialog)
    assert not dialog.filter_box.isEnabled()  # it would select Ada's flags only
    dialog.reject()


def test_after_a_merge_is_undone_nobody_else_has_judged(
    open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mine, judged = tmp_path / "mine.isogloss", tmp_path / "judged.pairs.gz"
    mining = make_pairs(mine, N)
    first, package = pair_id(mining, 0), tmp_path / "p.pairs.gz"
    save_settings(Settings(user_name="Ada"), settings_file())
    with open_project(mine) as project:
        edit(project, JudgePairs(pairs=(first,), verdict="accept"))
        hand_over(project, package, pairs=str(mining))
    with create_project(tmp_path / "other.isogloss") as project:
        row, ids = take(project, package)
        edit(project, JudgePairs(pairs=(ids[0],), verdict="reject"))
        hand_back(project, judged, pairs=str(row.id))

    view = open_as("Ada", mine)
    fill_and_run(view, qtbot, "merge_package", package=judged)
    panel = view.sidebar.agreement
    qtbot.waitUntil(lambda: panel.n_conflicts == 1, timeout=WAIT_MS)
    view.commands["show_conflicts"].trigger()
    qtbot.waitUntil(lambda: len(view.session.queue) == 1, timeout=WAIT_MS)
    wait_at_queue(view, qtbot)
    press(view, Qt.Key.Key_Z, ctrl=True)
    qtbot.waitUntil(panel.isHidden, timeout=WAIT_MS)
    assert view.empty_page.words == ("No matching pairs", "There are no conflicts.")
    buttons = view.empty_page.findChildren(QPushButton)
    shown = [one.text() for one in buttons if one.isVisible()]
    assert not any("conflict" in text for text in shown)


def test_the_merge_dialog_shows_whose_judgements_a_file_has(
    open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mine, judged = tmp_path / "mine.isogloss", tmp_path / "judged.pairs.gz"
    mining = make_pairs(mine, N)
    with open_project(mine) as project:
        hand_over(project, tmp_path / "p.pairs.gz", pairs=str(mining))
    with create_project(tmp_path / "other.isogloss") as project:
        row, ids = take(project, tmp_path / "p.pairs.gz")
        edit(project, JudgePairs(pairs=tuple(ids[:3]), verdict="reject"))
        hand_back(project, judged, pairs=str(row.id))

    view = open_as("Ada", mine)
    view.commands["merge_package"].trigger()
    (dialog,) = view.window().findChildren(MergeDialog)
    annotator = dialog.form.field("annotator").widget
    assert isinstance(annotator, QLineEdit)
    for file, name, words in (
        (judged, "Ben", "3 judgements of Ben."),
        (tmp_path / "p.pairs.gz", "", ""),
        (tmp_path, "", ""),
    ):
        dialog.form.write({"package": file})
        assert (annotator.placeholderText(), dialog.needs) == (name, words)
    dialog.reject()


def test_the_history_names_a_merge_with_texts_also_undone_and_redone(
    open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mine, judged = tmp_path / "mine.isogloss", tmp_path / "judged.pairs.gz"
    mining = make_pairs(mine, N)
    save_settings(Settings(user_name="Ada"), settings_file())
    with open_project(mine) as project:
        first = pair_id(mining, 0)
        edit(project, JudgePairs(pairs=(first,), verdict="accept"))
        hand_over(project, tmp_path / "p.pairs.gz", pairs=str(mining), order="score")
    with create_project(tmp_path / "other.isogloss") as project:
        row, ids = take(project, tmp_path / "p.pairs.gz")
        change = JudgePairs(pairs=(ids[0],), target_text="of Ben", verdict="accept")
        edit(project, change)
        edit(project, JudgePairs(pairs=(ids[1],), verdict="reject"))
        hand_back(project, judged, pairs=str(row.id))

    view = open_as("Ada", mine)
    fill_and_run(view, qtbot, "merge_package", package=judged)
    history = view.sidebar.history
    merged = "Merged 2 judgements of Ben, 1 with a corrected text"
    lines = [merged, "Accepted “The last ferry leaves at 9:30 in the evening. (0)”"]
    wait_for_history(view, qtbot, lines)
    view.state.undo()
    wait_for_history(view, qtbot, [f"Undone: {merged}", *lines])
    view.state.redo()
    wait_for_history(view, qtbot, [merged, f"Undone: {merged}", *lines])
    can_return = []
    for row_number in range(4):
        history.list.setCurrentRow(row_number)
        can_return.append(history.undo_button.isEnabled())
    assert can_return == [True, False, False, True]


def wait_for_history(view: ReviewView, qtbot: QtBot, lines: list[str]) -> None:
    history = view.sidebar.history
    qtbot.waitUntil(
        lambda: [one.line.text for one in history.entries] == lines, timeout=WAIT_MS
    )


def test_texts_that_two_annotators_corrected_differently_are_chosen_by_keys(
    windows: Windows, open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mine, judged = tmp_path / "mine.isogloss", tmp_path / "judged.pairs.gz"
    mining = make_pairs(mine, N)
    first, second, third = (pair_id(mining, index) for index in range(3))
    save_settings(Settings(user_name="Ada"), settings_file())
    package = tmp_path / "p.pairs.gz"
    with open_project(mine) as project:
        edit(project, JudgePairs(pairs=(first, second, third), verdict="accept"))
        edit(project, JudgePairs(pairs=(first,), target_text="text of Ada"))
        hand_over(project, package, pairs=str(mining))
    with create_project(tmp_path / "other.isogloss") as project:
        row, ids = take(project, package)
        both = tuple(ids[:2])
        edit(project, JudgePairs(pairs=both, verdict="accept", target_text="of Ben"))
        edit(project, SwapRunnerUp(pair=ids[2]))
        edit(project, JudgePairs(pairs=(ids[2],), verdict="accept"))
        swapped = texts_of(project, ids[2]).target.text
        hand_back(project, judged, pairs=str(row.id))

    view = open_as("Ada", mine)
    fill_and_run(view, qtbot, "merge_package", package=judged)
    view.commands["show_conflicts"].trigger()
    qtbot.waitUntil(lambda: len(view.session.queue) == 2, timeout=WAIT_MS)
    wait_at_queue(view, qtbot)
    assert view.session.queue.current == first
    words = words_of(view)
    assert "“text of Ada”" in words
    assert "“of Ben”" in words
    press(view, Qt.Key.Key_2)
    assert view.session.queue.current == third
    assert "runner-up swapped in" in words_of(view)
    press(view, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved, timeout=WAIT_MS)
    windows.close(view)
    with open_project(mine) as project:
        texts = [texts_of(project, one).target.text for one in (first, second, third)]
        assert texts == ["of Ben", "of Ben", swapped]
        assert verdicts(project, mining, 3) == ["accept"] * 3


def test_the_page_says_who_judged_a_pair_and_who_changed_its_text(
    open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mine, judged = tmp_path / "mine.isogloss", tmp_path / "judged.pairs.gz"
    mining = make_pairs(mine, N)
    ids = [pair_id(mining, index) for index in range(4)]
    save_settings(Settings(user_name="Ada"), settings_file())
    with open_project(mine) as project:
        edit(project, JudgePairs(pairs=(ids[0],), verdict="accept"))
        edit(project, JudgePairs(pairs=(ids[2],), target_text="of Ada"))
        edit(project, JudgePairs(pairs=(ids[3],), target_text="of Ada"))
        date_judgements(project, "10:10")
        hand_over(project, tmp_path / "p.pairs.gz", pairs=str(mining))
    with create_project(tmp_path / "other.isogloss") as project:
        row, taken = take(project, tmp_path / "p.pairs.gz")
        edit(project, JudgePairs(pairs=tuple(taken[:3]), verdict="accept"))
        edit(project, JudgePairs(pairs=tuple(taken[:2]), target_text="of Ben"))
        date_judgements(project, "10:20")
        hand_back(project, judged, pairs=str(row.id))

    view = open_as("Ada", mine)
    fill_and_run(view, qtbot, "merge_package", package=judged)
    decision = view.page.decision
    for pair, verdict, authors in (
        (ids[0], "Accepted", "✓ Saved 10:10 by Ada, text changed by Ben 10:20"),
        (ids[1], "Accepted", " by Ben, with a changed text"),
        (ids[2], "Accepted", "✓ Saved 10:20 by Ben, text changed by Ada 10:10"),
        (ids[3], "Not judged", ", text changed by Ada"),
    ):
        view.review_pair(mining, pair)
        qtbot.waitUntil(partial(is_shown, view, pair), timeout=WAIT_MS)
        assert decision.verdict.text() == verdict
        assert decision.saved.text().endswith(authors)
    view.commands["reject"].trigger()
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved, timeout=WAIT_MS)
    view.review_pair(mining, ids[3])
    assert decision.saved.text().endswith(" by Ada, with a changed text")


def date_judgements(project: Project, time_of_day: str) -> None:
    """Let all judgements be made today at a time."""
    today = time.strptime(time.strftime(f"%Y-%m-%d {time_of_day}"), "%Y-%m-%d %H:%M")
    values = {"created_at": time.mktime((*today[:8], -1))}
    with project.store.begin() as connection:
        connection.execute(update(schema.judgement).values(**values))


def test_texts_of_a_package_do_not_look_like_judgements_of_its_sender(
    open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mining, package = make_pairs(tmp_path / "mine.isogloss", N), tmp_path / "p.pairs.gz"
    save_settings(Settings(user_name="Ada"), settings_file())
    with open_project(tmp_path / "mine.isogloss") as project:
        first, second = pair_id(mining, 0), pair_id(mining, 1)
        edit(project, JudgePairs(pairs=(first,), target_text="of Ada"))
        edit(project, SwapRunnerUp(pair=second))
        hand_over(project, package, pairs=str(mining), order="score")
    with create_project(tmp_path / "other.isogloss") as project:
        row, ids = take(project, package)

    view = open_as("Ben", tmp_path / "other.isogloss")
    view.session.load(row.id, QueueSettings(which="all"))
    wait_at_queue(view, qtbot)
    for pair in ids[:2]:
        view.review_pair(row.id, pair)
        qtbot.waitUntil(partial(is_shown, view, pair), timeout=WAIT_MS)
        decision = view.page.decision
        assert decision.verdict.text() == "Not judged"
        assert decision.saved.text() == "Text changed by Ada"
    wait_for_history(view, qtbot, ["Texts of the package: 2 pairs"])


def is_shown(view: ReviewView, pair: int) -> bool:
    return view.page.pair is not None and view.page.pair.id == pair


def save_name(view: ReviewView, name: str) -> list[QMessageBox]:
    """Save another name in the settings; returns the questions that are open."""
    view.header.name_button.click()
    dialog = view.window().findChildren(SettingsDialog)[-1]
    field = dialog.form.field("user_name").widget
    assert isinstance(field, QLineEdit)
    assert field.isVisible()
    assert dialog.focusWidget() is field
    assert field.selectedText() == field.text()
    field.setText(name)
    buttons = dialog.findChildren(QPushButton)
    next(one for one in buttons if one.text() == "Save settings").click()
    boxes = view.window().findChildren(QMessageBox)
    return [one for one in boxes if one.isVisible()]


def test_a_new_name_is_offered_for_earlier_judgements(
    open_as: OpenAs, qtbot: QtBot, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.isogloss"
    mining = make_pairs(mine, N)
    view = open_as("root", mine)
    wait_at_queue(view, qtbot)
    view.state.change_settings(Settings(user_name="root"))
    judge(view, qtbot, "AR")
    view.session.load(mining, QueueSettings(which="all"))
    wait_at_queue(view, qtbot)
    decision, history = view.page.decision, view.sidebar.history
    qtbot.waitUntil(lambda: decision.saved.text().endswith(" by root"), timeout=WAIT_MS)
    (box,) = save_name(view, "Ada")
    assert box.text() == (
        "Your judgements of 2 pairs in this project have the name “root”."
    )
    buttons = {one.text(): one for one in box.buttons()}
    assert list(buttons) == [
        "Rename earlier judgements too",
        "Keep the old name",
        "Cancel",
    ]
    buttons["Rename earlier judgements too"].click()
    qtbot.waitUntil(lambda: decision.saved.text().endswith(" by Ada"), timeout=WAIT_MS)
    qtbot.waitUntil(
        lambda: [one.who for one in history.entries] == ["Ada", "Ada"], timeout=WAIT_MS
    )
    view.state.undo()
    qtbot.waitUntil(lambda: decision.saved.text().endswith(" by root"), timeout=WAIT_MS)

    save_settings(Settings(user_name="Ada"), settings_file())  # as the window does
    view.commands["reject"].trigger()
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved, timeout=WAIT_MS)
    notices = QSignalSpy(view.state.notice_posted)
    assert save_name(view, "root") == []  # two names are never merged
    assert notices.count() == 1
    assert notices.at(0)[0] == (
        "“root” already has judgements in this project. Your earlier judgements keep "
        "the name “Ada”."
    )


def assert_merge_in_history(view: ReviewView, qtbot: QtBot) -> None:
    history = view.sidebar.history
    qtbot.waitUntil(
        lambda: history.entries[0].line.text == f"Merged {N} judgements of Ben",
        timeout=WAIT_MS,
    )
    assert len(history.entries) == len(ADA) + 1
    history.list.setCurrentRow(1)  # the last judgement of Ada
    history.undo_to_selected()
    (box,) = view.window().findChildren(QMessageBox)
    assert box.text().startswith("Undo the change made after: ")
    box.reject()


def assert_agreement(view: ReviewView) -> None:
    """Compare the figures with those worked out by hand.

    Both judged pairs 0 to 5: Ada AARRAA, Ben ARRAAA. The same: 4 of 6. Each accepted 4
    of 6, so 20/36 agree by chance: kappa = (24/36 − 20/36) / (16/36) = 1/4. Of twelve
    judgements 8 accept: alpha = 1 − (2/6) / (2·8·4 / (12·11)) = 5/16.
    """
    figures = view.sidebar.agreement.figures
    words = {name: label.text().split(" (")[0] for name, label in figures.items()}
    assert words == {"raw": "67\u00a0%", "kappa": "0.25", "alpha": "0.31"}
