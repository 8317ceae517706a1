"""Themes: colours, sizes, palette and style sheet of the window."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QProxyStyle,
    QStyle,
    QWidget,
)

from app.paths import resource_dir
from app.protocol.answers.words import LOW_SCORE
from app.settings import Settings
from app.views.widgets.fonts import interface_families

GRID = 8  # pixels
RADIUS = 8
READABLE = 4.5  # contrast of text, WCAG 2.1 level AA; black or white always has it
TEXT_PX, QUERY_PX, SENTENCE_PX = 13, 15, 20
SIZE_PROPERTY = "designedSize"  # of a widget whose text has a size of its own
WIDTH_PROPERTY = "designedWidths"  # the least and the largest of a widget


class ThemeColours(msgspec.Struct, frozen=True):
    """The colours of one theme, as #RRGGBB."""

    window: str
    surface: str
    text: str
    secondary: str
    line: str
    accent: str
    on_accent: str
    accent_soft: str  # behind what is chosen
    hover: str
    human: str
    on_human: str
    warning: str
    warning_soft: str
    human_soft: str
    good: str  # of the marks of coverage, whose shapes differ too
    caution: str
    bad: str


LIGHT = ThemeColours(
    window="#F6F7F8",
    surface="#FFFFFF",
    text="#1C2127",
    secondary="#646C76",
    line="#DDE1E6",
    accent="#0B6E75",
    on_accent="#FFFFFF",
    accent_soft="#E0F0F0",
    hover="#EEF1F3",
    human="#5B4BC4",
    on_human="#FFFFFF",
    warning="#B5482A",
    warning_soft="#FBEDE8",
    human_soft="#ECEAFA",
    good="#2E7D46",
    caution="#B26B00",
    bad="#B3261E",
)
DARK = ThemeColours(
    window="#15181C",
    surface="#1D2126",
    text="#E7EAEE",
    secondary="#98A1AC",
    line="#2E343C",
    accent="#4DB6AC",
    on_accent="#0E1A1A",
    accent_soft="#1D3434",
    hover="#262B31",
    human="#A79BF0",
    on_human="#17142B",
    warning="#E58A68",
    warning_soft="#382720",
    human_soft="#2A2740",
    good="#66BB7A",
    caution="#E0B04A",
    bad="#F2706A",
)


POPUP_CLASS = "QComboBoxPrivateContainer"  # the frame around the list of a drop-down


class InputStyle(QProxyStyle):
    """A style in which the wheel changes a drop-down or number field only with focus.

    Without focus, the wheel scrolls the page of the field.
    """

    def polish(self, target: Any) -> Any:
        """Watch the wheel over drop-downs and number fields."""
        known: object = target
        if not isinstance(known, QWidget | QCoreApplication | QPalette):
            # PySide can give the object of a deleted item at the widget's address.
            return None
        polished = super().polish(target)
        if isinstance(target, QComboBox | QAbstractSpinBox):
            if target.focusPolicy() == Qt.FocusPolicy.WheelFocus:
                target.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            target.installEventFilter(self)
        if isinstance(target, QWidget) and target.inherits(POPUP_CLASS):
            target.installEventFilter(self)
        return polished

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass the wheel on to the parent of a field without focus; widen lists."""
        if event.type() == QEvent.Type.Show and watched.inherits(POPUP_CLASS):
            _fit_popup(watched)
        is_wheel = event.type() == QEvent.Type.Wheel
        if is_wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def _fit_popup(popup: QObject) -> None:
    """Make the list of a drop-down as wide as its longest entry, within the screen."""
    box = popup.parent()
    if not isinstance(popup, QWidget) or not isinstance(box, QComboBox):
        return
    entries = box.view().sizeHintForColumn(box.modelColumn())
    extent = box.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
    screen = box.screen().availableGeometry()
    rect = popup.geometry()
    rect.setWidth(min(max(rect.width(), entries + extent + GRID), screen.width()))
    rect.moveLeft(max(min(rect.left(), screen.right() + 1 - rect.width()), 0))
    popup.setGeometry(rect)


class Theme(QObject):
    """Applies the colours and text size of the settings to the application."""

    changed = Signal()

    def __init__(self, application: QApplication, settings: Settings):
        super().__init__(application)
        self._application = application
        self._settings = settings
        application.setStyle(InputStyle("Fusion"))
        # The font of the application reaches all widgets, without a new style sheet.
        QCoreApplication.setAttribute(
            Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles
        )
        self._scheme_in_use, self._scale_in_use = "", 0
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)
        self.apply(settings)

    @property
    def tokens(self) -> ThemeColours:
        """The current colours."""
        return LIGHT if self.scheme == "light" else DARK

    @property
    def scheme(self) -> Literal["light", "dark"]:
        """The theme in use: the settings' choice, or the system's."""
        if self._settings.theme != "system":
            return self._settings.theme
        system = QGuiApplication.styleHints().colorScheme()
        return "dark" if system == Qt.ColorScheme.Dark else "light"

    def apply(self, settings: Settings) -> None:
        """Apply the settings to the application if they have changed."""
        self._settings = settings
        is_recoloured = self.scheme != self._scheme_in_use
        is_resized = settings.text_scale != self._scale_in_use
        change = settings.text_scale / (self._scale_in_use or settings.text_scale)
        self._scheme_in_use, self._scale_in_use = self.scheme, settings.text_scale
        # Qt walks a list of all widgets and calls each one's changeEvent: a collection
        # of garbage there would delete widgets of that list, and Qt would crash.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            if is_resized:
                self._resize_texts(settings.text_scale, change)
            if is_recoloured:
                self._recolour()
        finally:
            if was_enabled:
                gc.enable()
        if is_recoloured or is_resized:
            self.changed.emit()

    def _resize_texts(self, text_scale: int, change: float) -> None:
        sizes = [
            (widget, _section_sizes(widget))
            for widget in self._application.allWidgets()
            if isinstance(widget, QHeaderView)
        ]
        self._application.setFont(interface_font(text_scale))
        for widget in self._application.allWidgets():
            pixels = widget.property(SIZE_PROPERTY)
            if pixels is not None:
                set_text_size(widget, pixels)
            widths = widget.property(WIDTH_PROPERTY)
            if widths is not None:
                set_width(widget, *widths)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.ApplicationFontChange.value)
        for box in self._application.allWidgets():
            if isinstance(box, QComboBox):  # only so, Qt measures its least size again
                QCoreApplication.sendEvent(box, QEvent(QEvent.Type.StyleChange))
                box.updateGeometry()
        for header, sections in sizes:
            if shiboken6.isValid(header):
                _resize_sections(header, sections, change)

    def _recolour(self) -> None:
        # Replacing a sheet styles each widget once for each of its ancestors. With no
        # sheet in between, Qt styles each widget twice: five times faster.
        application = self._application
        old_style, has_sheet = application.style(), bool(application.styleSheet())
        application.setStyleSheet("")
        if has_sheet:  # Qt deleted this style: no wrapper may stay at its address
            shiboken6.invalidate(old_style)
        application.setPalette(make_palette(self.tokens))
        # Else widgets have their new colours only after what follows `changed`.
        kind = QEvent.Type.ApplicationPaletteChange
        QCoreApplication.sendPostedEvents(None, kind.value)
        application.setStyleSheet(make_style_sheet(self.tokens))

    def _on_scheme_changed(self) -> None:
        if self._settings.theme == "system":
            self.apply(self._settings)


class SectionSizes(NamedTuple):
    """Sizes of a header's rows or columns, in pixels.

    Attributes:
        of_all: of rows, all the same.
        least: of a column.
        of_each: by column; hidden ones are missing.
    """

    of_all: int
    least: int
    of_each: dict[int, int]


def _section_sizes(header: QHeaderView) -> SectionSizes:
    columns = range(
        header.count() * (header.orientation() == Qt.Orientation.Horizontal)
    )
    sizes = {c: header.sectionSize(c) for c in columns if not header.isSectionHidden(c)}
    return SectionSizes(header.defaultSectionSize(), header.minimumSectionSize(), sizes)


def _resize_sections(header: QHeaderView, sizes: SectionSizes, change: float) -> None:
    """Make rows, or columns, as much larger than before as the text became."""
    if header.orientation() == Qt.Orientation.Vertical:
        header.setDefaultSectionSize(round(change * sizes.of_all))
        return
    header.setMinimumSectionSize(round(change * sizes.least))
    for column, size in sizes.of_each.items():
        header.resizeSection(column, round(change * size))
    table = header.parent()
    if isinstance(table, QAbstractScrollArea):  # some share what room is left
        room = table.viewport().size()
        event = QResizeEvent(room, room)
        QCoreApplication.sendEvent(table.viewport(), event)


def colours_of(_widget: QWidget | QPalette) -> ThemeColours:
    """Return the colours that a widget (or a paint option's palette) is shown in.

    The application's palette decides: a style sheet changes the palettes of widgets.
    """
    if _drawn_as:
        return _drawn_as[-1]
    window = QGuiApplication.palette().window().color()
    return LIGHT if window.lightness() > 127 else DARK


_drawn_as: list[ThemeColours] = []  # while a picture is drawn in colours of its own


@contextmanager
def use_colours(colours: ThemeColours) -> Iterator[None]:
    """Let `colours_of` return other colours than those of the window."""
    _drawn_as.append(colours)
    try:
        yield
    finally:
        _drawn_as.pop()


@contextmanager
def draw_in_colours(figure: QWidget, colours: ThemeColours) -> Iterator[None]:
    """Draw a figure in light or dark colours, whatever the theme is."""
    if colours_of(figure) is colours:
        yield
        return
    try:
        with use_colours(colours):
            _restyle_figure(figure, make_palette(colours), make_style_sheet(colours))
            yield
    finally:
        _restyle_figure(figure, QPalette(), "")


def _restyle_figure(figure: QWidget, palette: QPalette, style_sheet: str) -> None:
    figure.setPalette(palette)
    figure.setStyleSheet(style_sheet)
    for one in (figure, *figure.findChildren(QWidget)):
        QCoreApplication.sendEvent(one, QEvent(QEvent.Type.PaletteChange))


def scaled(pixels: int, widget: QWidget | QFont | None = None) -> int:
    """Scale a size that was designed for text of 13 pixels to the text in use."""
    font = widget.font() if isinstance(widget, QWidget) else widget
    base = (font or QApplication.font()).pixelSize()
    return round(pixels * (base if base > 0 else TEXT_PX) / TEXT_PX)


def set_text_size(widget: QWidget, pixels: int) -> None:
    """Set the size of a widget's text, designed for text of 13 pixels.

    It follows the settings.
    """
    font = widget.font()
    font.setPixelSize(scaled(pixels))
    widget.setFont(font)
    widget.setProperty(SIZE_PROPERTY, pixels)


def set_width(widget: QWidget, least: int, most: int | None = None) -> None:
    """Set the least and the largest width of a widget, designed for 13 pixels of text.

    They follow the settings.
    """
    widget.setMinimumWidth(scaled(least))
    if most is not None:
        widget.setMaximumWidth(scaled(most))
    widget.setProperty(WIDTH_PROPERTY, [least, most])


def interface_font(text_scale: int = 100, pixels: int = TEXT_PX) -> QFont:
    """Return the font of the interface, with families for other scripts behind it."""
    font = QFont()
    font.setFamilies(interface_families())
    font.setPixelSize(round(pixels * text_scale / 100))
    return font


def make_palette(colours: ThemeColours) -> QPalette:
    """Return Qt's palette for the colours."""
    palette = QPalette()
    role = QPalette.ColorRole
    for name, colour in (
        (role.Window, colours.window),
        (role.WindowText, colours.text),
        (role.Base, colours.surface),
        (role.AlternateBase, colours.hover),
        (role.Text, colours.text),
        (role.PlaceholderText, colours.secondary),
        (role.Button, colours.surface),
        (role.ButtonText, colours.text),
        (role.BrightText, colours.warning),
        (role.ToolTipBase, colours.surface),
        (role.ToolTipText, colours.text),
        (role.Highlight, colours.accent),
        (role.HighlightedText, colours.on_accent),
        (role.Accent, colours.accent),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.human),
        (role.Light, colours.surface),
        (role.Midlight, colours.hover),
        (role.Mid, colours.line),
        (role.Dark, colours.line),
        (role.Shadow, colours.line),
    ):
        palette.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(
            QPalette.ColorGroup.Disabled, name, QColor(mix(colours, "secondary", 0.7))
        )
    return palette


def make_style_sheet(colours: ThemeColours) -> str:
    """Fill the style sheet's @names with colours."""
    text = style_file().read_text(encoding="utf-8")
    values = dict(msgspec.structs.asdict(colours))
    values["icons"] = (resource_dir() / "icons").as_posix()
    values["scheme"] = "light" if colours is LIGHT else "dark"
    for name in sorted(values, key=len, reverse=True):
        text = text.replace(f"@{name}", values[name])
    return text


def style_file() -> Path:
    """Name the style sheet's file."""
    return resource_dir() / "style" / "isogloss.qss"


def mix(
    colours: ThemeColours, name: str, share: float, *, onto: str = "surface"
) -> str:
    """Mix a token's colour onto another: share 0 = the other, 1 = the colour itself."""
    front, back = QColor(getattr(colours, name)), QColor(getattr(colours, onto))
    parts = [
        round(f * share + b * (1 - share))
        for f, b in (
            (front.red(), back.red()),
            (front.green(), back.green()),
            (front.blue(), back.blue()),
        )
    ]
    return QColor(*parts).name()


def mark_colour(colours: ThemeColours) -> str:
    """Return the colour behind words that were found; they are also underlined."""
    return mix(colours, "accent", 0.4)


def confidence_colours(colours: ThemeColours, confidence: float) -> tuple[str, str]:
    """Return background and text colours of a word that translates another one.

    The text has its usual colour on every background, so that marked words next to each
    other look alike.

    Args:
        confidence: 0…1; the higher, the deeper is the background.
    """
    return mix(colours, "accent", 0.3 + 0.24 * confidence), colours.text


def score_colours(colours: ThemeColours, score: float) -> tuple[QColor, QColor]:
    """Return background and text colours of a score's badge: a shade of one hue.

    Args:
        score: cosine; `LOW_SCORE` and below is the faintest shade, 1 the full one.
    """
    strength = min(max((score - LOW_SCORE) / (1 - LOW_SCORE), 0.0), 1.0)
    share = 0.12 + 0.88 * strength**1.5
    background = mix(colours, "accent", share)
    return QColor(background), QColor(readable_on(colours, background))


def readable_on(colours: ThemeColours, background: str) -> str:
    """Return a colour of text that can be read on a background."""
    candidates = (colours.text, colours.on_accent, "#FFFFFF", "#000000")
    return next(c for c in candidates if contrast(c, background) >= READABLE)


def contrast(first: str, second: str) -> float:
    """Measure the contrast of two colours, 1…21 (WCAG 2.1, relative luminance)."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(name: str) -> float:
    colour = QColor(name)
    parts = []
    for value in (colour.redF(), colour.greenF(), colour.blueF()):
        parts.append(
            value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        )
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
