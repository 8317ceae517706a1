"""The installed PySide6 does not lose references: lift the pin only while this passes.

PySide6 6.12.0 dropped one reference to True at each emit, and Python 3.11 then aborts.
"""

import sys

from PySide6.QtCore import QObject, Signal


class Emitter(QObject):
    emitted = Signal(bool)


def test_hundred_emits_keep_the_references_to_true() -> None:
    emitter = Emitter()
    emitter.emitted.connect(lambda _value: None)
    before = sys.getrefcount(True)
    for _ in range(100):
        emitter.emitted.emit(True)
    assert abs(sys.getrefcount(True) - before) < 50
