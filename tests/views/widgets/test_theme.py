"""Colours: contrast by WCAG 2.1, the system's scheme, text size."""

import gc
from typing import Literal

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.widgets.controls import make_label
from app.views.widgets.language_field import LanguageField
from app.views.widgets.query_field import QueryField
from app.views.widgets.text_layout import ColouredSpan, TextStyle, lay_out_text
from app.views.widgets.theme import (
    DARK,
    LIGHT,
    InputStyle,
    Theme,
    ThemeColours,
    colours_of,
    confidence_colours,
    contrast,
    make_style_sheet,
    mark_colour,
    score_colours,
)

AA_TEXT = 4.5  # WCAG 2.1, 1.4.3, text below 18 point
AA_CONTROL = 3.0  # WCAG 2.1, 1.4.11, parts of controls
TEXT_PAIRS = [
    (front, back)
    for front in ("text", "secondary", "accent", "warning", "human")
    for back in ("window", "surface")
] + [
    ("text", "hover"),
    ("text", "accent_soft"),
    ("accent", "accent_soft"),
    ("secondary", "accent_soft"),
    ("text", "warning_soft"),
    ("secondary", "warning_soft"),
    ("warning", "warning_soft"),
    ("accent", "warning_soft"),
    ("text", "human_soft"),
    ("human", "human_soft"),
    ("accent", "hover"),
    ("on_accent", "accent"),
    ("on_human", "human"),
]


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), TEXT_PAIRS)
def test_text_can_be_read(colours: ThemeColours, front: str, back: str) -> None:
    assert contrast(getattr(colours, front), getattr(colours, back)) >= AA_TEXT


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_focus_can_be_seen(colours: ThemeColours) -> None:
    for back in (colours.window, colours.surface):
        assert contrast(colours.accent, back) >= AA_CONTROL


def pixel_colours(widget: QWidget) -> list[str]:
    """Return the colours of all pixels of a widget."""
    image = widget.grab().toImage()
    columns, rows = range(image.width()), range(image.height())
    return [image.pixelColor(x, y).name() for x in columns for y in rows]


@pytest.mark.parametrize("kind", [QPushButton, QToolButton])
def test_the_keyboard_focus_paints_nothing_inside_a_button(
    theme: Theme, qtbot: QtBot, kind: type[QPushButton | QToolButton]
) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    first, button = QLineEdit(), kind()
    button.setText("accept")
    button.setProperty("quiet", True)
    layout = QVBoxLayout(dialog)
    layout.addWidget(first)
    layout.addWidget(button)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    first.setFocus()
    inside = button.rect().adjusted(5, 5, -5, -5)  # without the ring
    before = button.grab(inside).toImage()
    QTest.keyClick(first, Qt.Key.Key_Tab)
    assert button.hasFocus()
    assert button.grab(inside).toImage() == before


@pytest.mark.parametrize("kind", [QCheckBox, QRadioButton])
@pytest.mark.parametrize("is_checked", [False, True])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_disabled_boxes_and_radio_buttons_are_fainter(
    theme: Theme,
    qtbot: QtBot,
    scheme: Literal["light", "dark"],
    is_checked: bool,
    kind: type[QCheckBox | QRadioButton],
) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    box = kind(dialog)
    box.setChecked(is_checked)
    theme.apply(Settings(theme=scheme))
    try:
        dialog.show()
        dialog.setFocus()
        strongest = []
        for is_enabled in (True, False):
            box.setEnabled(is_enabled)
            window = theme.tokens.window
            strongest.append(max(contrast(one, window) for one in pixel_colours(box)))
        assert strongest[1] < 0.75 * strongest[0]
    finally:
        theme.apply(Settings(theme="light"))


@pytest.mark.parametrize("kind", [QCheckBox, QRadioButton])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_boxes_and_radio_buttons_can_be_seen_and_their_state_too(
    theme: Theme,
    qtbot: QtBot,
    scheme: Literal["light", "dark"],
    kind: type[QCheckBox | QRadioButton],
) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    box = kind(dialog)  # without a text, so that only the indicator is painted
    theme.apply(Settings(theme=scheme))
    try:
        dialog.show()
        dialog.setFocus()
        pictures = []
        for is_checked in (False, True):
            box.setChecked(is_checked)
            pictures.append(pixel_colours(box))
            window = theme.tokens.window
            assert max(contrast(one, window) for one in pictures[-1]) >= AA_CONTROL
        changes = map(contrast, *pictures)
        assert max(changes) >= AA_CONTROL
    finally:
        theme.apply(Settings(theme="light"))


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_of_coverage_can_be_seen(colours: ThemeColours) -> None:
    for front in (colours.good, colours.caution, colours.bad):
        for back in (colours.window, colours.surface, colours.accent_soft):
            assert contrast(front, back) >= AA_CONTROL


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_scores_can_be_read_on_every_shade(colours: ThemeColours) -> None:
    for percent in range(-20, 101):
        background, text = score_colours(colours, percent / 100)
        assert contrast(text.name(), background.name()) >= AA_TEXT


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_marked_words_can_be_read_and_seen(colours: ThemeColours) -> None:
    found = mark_colour(colours)
    assert contrast(colours.text, found) >= AA_TEXT
    weakest, strongest = (confidence_colours(colours, n)[0] for n in (0.0, 1.0))
    assert contrast(strongest, weakest) > 1.5, "a shade is a confidence"
    for fill in (found, weakest):
        assert contrast(fill, colours.surface) > 1.5
    for percent in range(101):
        fill, text = confidence_colours(colours, percent / 100)
        assert contrast(text, fill) >= AA_TEXT
        assert text == colours.text, "neighbours have one colour of text"


def test_marked_words_are_underlined_too() -> None:
    style = TextStyle(QFont(), QColor(DARK.text), QColor(mark_colour(DARK)))
    span = ColouredSpan(4, 9, QColor(DARK.accent), QColor(DARK.on_accent))
    layout, _ = lay_out_text("The storm tore roofs.", "en", 400, style, ["tore", span])
    formats = layout.formats()
    assert [one.format.fontUnderline() for one in formats] == [True, True]


def test_higher_score_is_a_stronger_shade() -> None:
    shades = [
        contrast(score_colours(LIGHT, s)[0].name(), LIGHT.surface)
        for s in (0.3, 0.5, 0.7, 0.9, 1.0)
    ]
    assert shades == sorted(shades)


def test_style_sheet_leaves_no_name_unfilled() -> None:
    assert "@" not in make_style_sheet(LIGHT)
    assert "@" not in make_style_sheet(DARK)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_popup_has_one_frame_without_gaps_at_the_corners(
    theme: Theme, qtbot: QtBot, scheme: Literal["light", "dark"]
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    box, field = QComboBox(window), LanguageField("Language", window)
    field.move(0, 60)
    box.addItems(["Mean", "Maximum", "Last state"])
    theme.apply(Settings(theme=scheme))
    try:
        window.show()
        box.showPopup()
        QTest.keyClicks(field, "gre")
        completions = field.completer().popup()
        assert completions is not None
        for popup in (box.view().window(), completions):
            assert popup is not None
            image = popup.grab().toImage()
            middle, bottom = image.width() // 2, image.height() - 1
            frame = image.pixelColor(0, 0)
            inside = {
                image.pixelColor(middle, bottom - y).name().upper() for y in range(1, 8)
            }
            assert image.pixelColor(middle, bottom) == frame
            assert inside == {theme.tokens.surface}
        completions.hide()
        box.hidePopup()
    finally:
        theme.apply(Settings(theme="light"))


@pytest.mark.usefixtures("theme")
def test_the_list_of_a_narrow_choice_shows_whole_entries(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    box = QComboBox(window)
    box.addItems(["Steps", "Evaluation interval of the training (steps)"])
    box.addItems([f"Layers {n}" for n in range(30)])  # the list scrolls
    box.setFixedWidth(100)
    window.show()
    box.showPopup()
    try:
        view = box.view()
        assert view.viewport().width() >= view.sizeHintForColumn(0)
        assert view.horizontalScrollBar().maximum() == 0
    finally:
        box.hidePopup()


def test_texts_of_other_sizes_follow_the_settings(theme: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    row = QHBoxLayout(window)
    title, heading, field = (
        make_label("Isogloss", "title"),
        make_label("Pairs", "heading"),
        QueryField(),
    )
    for widget in (title, heading, field):
        row.addWidget(widget)
    window.show()
    assert [w.font().pixelSize() for w in (title, heading, field)] == [26, 18, 15]
    try:
        theme.apply(Settings(theme="light", text_scale=150))
        assert [w.font().pixelSize() for w in (title, heading, field)] == [40, 28, 23]
        assert title.fontInfo().weight() == 600
        new = make_label("Corpora", "heading")
        assert new.font().pixelSize() == 28
        theme.apply(Settings(theme="dark", text_scale=150))
        assert [w.font().pixelSize() for w in (title, heading, field)] == [40, 28, 23]
    finally:
        theme.apply(Settings(theme="light"))
    assert [w.font().pixelSize() for w in (title, heading, field)] == [26, 18, 15]


def test_settings_choose_theme_and_text_size(theme: Theme, qapp: QApplication) -> None:
    label = QLabel("a")
    try:
        theme.apply(Settings(theme="dark", text_scale=200))
        window = qapp.palette().color(QPalette.ColorRole.Window).name()
        assert window.casefold() == DARK.window.casefold()
        assert colours_of(label) is DARK
        assert qapp.font().pixelSize() == 26
    finally:
        theme.apply(Settings(theme="light"))
    assert colours_of(label) is LIGHT
    label.deleteLater()


def test_system_scheme_is_light_where_it_is_not_known(theme: Theme) -> None:
    theme.apply(Settings(theme="system"))
    assert theme.scheme in ("light", "dark")
    theme.apply(Settings(theme="light"))


def _turn_wheel(widget: QWidget) -> None:
    """Turn the wheel downwards over a widget."""
    window = widget.window()
    place = widget.mapTo(window, widget.rect().center())
    QTest.wheelEvent(window.windowHandle(), QPointF(place), QPoint(0, -120))


def test_wheel_scrolls_the_page_and_changes_no_field_without_focus(
    theme: Theme, qtbot: QtBot
) -> None:
    assert theme.tokens is LIGHT
    area, page, other = QScrollArea(), QWidget(), QLineEdit()
    choice, number, share = QComboBox(), QSpinBox(), QDoubleSpinBox()
    choice.addItems(["first", "second", "third"])
    number.setValue(5)
    share.setValue(5)
    layout = QVBoxLayout(page)
    for widget in (other, choice, number, share):
        layout.addWidget(widget)
    layout.addSpacing(5_000)
    area.setWidget(page)
    qtbot.addWidget(area)
    with qtbot.waitExposed(area):
        area.show()
    other.setFocus()
    bar = area.verticalScrollBar()
    for field in (choice, number, share):
        bar.setValue(0)
        _turn_wheel(field)
        assert bar.value() > 0
        assert not field.hasFocus()
    assert (choice.currentText(), number.value(), share.value()) == ("first", 5, 5)
    bar.setValue(0)
    choice.setFocus()
    _turn_wheel(choice)
    assert choice.currentText() == "second"
    number.setFocus()
    _turn_wheel(number)
    assert number.value() == 4
    assert bar.value() == 0


class _Busy(QLabel):
    """A widget that makes garbage whenever the style changes."""

    def __init__(self) -> None:
        super().__init__("text")
        self.is_changing = False
        self.n_changes = 0

    def changeEvent(self, event: QEvent) -> None:
        self.is_changing = True
        self.n_changes += 1
        self.garbage: list[list[int]] = [[] for _ in range(100)]
        super().changeEvent(event)
        self.is_changing = False


def test_no_garbage_is_collected_while_the_style_changes(qapp: QApplication) -> None:
    """Qt crashed: widgets in garbage cycles were deleted while it went through them."""
    theme = Theme(qapp, Settings(theme="light"))
    busy, thresholds = _Busy(), gc.get_threshold()
    collected: list[str] = []

    def note(phase: str, _info: dict[str, int]) -> None:
        if busy.is_changing:
            collected.append(phase)

    gc.callbacks.append(note)
    gc.set_threshold(1)
    try:
        theme.apply(Settings(theme="dark"))
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(note)
    assert busy.n_changes > 0
    assert collected == []
    assert gc.isenabled()


class _Counting(QLabel):
    """A label that counts how often it is styled."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("text", parent)
        self.n_styled = 0

    def changeEvent(self, event: QEvent) -> None:
        self.n_styled += event.type() == QEvent.Type.StyleChange
        super().changeEvent(event)


def test_a_nested_widget_is_not_styled_for_each_of_its_ancestors(
    theme: Theme, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    parent = window
    for _ in range(12):
        parent = QWidget(parent)
    label = _Counting(parent)
    window.show()
    try:
        label.n_styled = 0
        theme.apply(Settings(theme="light", text_scale=150))
        assert label.n_styled == 0  # the font alone changes: five times faster
        assert label.font().pixelSize() == 20
        theme.apply(Settings(theme="dark", text_scale=150))
        assert 1 <= label.n_styled <= 2
        text = label.palette().color(QPalette.ColorRole.WindowText).name()
        assert text.casefold() == DARK.text.casefold()
    finally:
        theme.apply(Settings(theme="light"))


def test_columns_and_rows_grow_with_the_text(theme: Theme, qtbot: QtBot) -> None:
    table = QTableWidget(3, 2)
    qtbot.addWidget(table)
    table.resize(600, 300)
    table.setHorizontalHeaderLabels(["Accuracy, %", "Macro-F1, %"])
    table.verticalHeader().setDefaultSectionSize(28)
    header = table.horizontalHeader()
    header.setMinimumSectionSize(40)
    table.setColumnWidth(0, 120)  # the user's choice, too
    table.show()
    try:
        theme.apply(Settings(theme="light", text_scale=150))
        assert (table.columnWidth(0), table.rowHeight(0)) == (180, 42)
        assert header.minimumSectionSize() == 60
        theme.apply(Settings(theme="dark", text_scale=150))
        assert (table.columnWidth(0), table.rowHeight(0)) == (180, 42)
    finally:
        theme.apply(Settings(theme="light"))
    assert (table.columnWidth(0), table.rowHeight(0)) == (120, 28)
    assert header.minimumSectionSize() == 40


def test_a_choice_is_as_small_again_as_its_text(theme: Theme, qtbot: QtBot) -> None:
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["No smoothing", "Mean of 51 points"])
    box.show()
    before = box.minimumSizeHint()
    try:
        theme.apply(Settings(theme="light", text_scale=150))
        assert box.minimumSizeHint().height() > before.height()
    finally:
        theme.apply(Settings(theme="light"))
    assert box.minimumSizeHint() == before


@pytest.mark.usefixtures("qtbot")
def test_a_widget_that_is_taken_for_a_deleted_item_does_no_harm() -> None:
    assert InputStyle().polish(QTableWidgetItem()) is None
