"""The engine's process: how it is started, and its end in a sentence."""

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QProcess, QProcessEnvironment

from app.messages import PORT_VARIABLE, TOKEN_VARIABLE


def engine_command() -> list[str]:
    """Give the command that starts the engine of this installation."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "engine"]
    return [sys.executable, "-m", "app", "engine"]


def make_process(command: Sequence[str], port: int, token: str) -> QProcess:
    """Prepare the process; its output is log text, the protocol is on the port."""
    process = QProcess()
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert(PORT_VARIABLE, str(port))
    environment.insert(TOKEN_VARIABLE, token)
    environment.insert("PYTHONUNBUFFERED", "1")
    environment.insert("PYTHONIOENCODING", "utf-8:replace")
    process.setProcessEnvironment(environment)
    # `-m app` must find this package, not an `app` in the user's folder.
    process.setWorkingDirectory(str(Path(__file__).resolve().parents[2]))
    process.setStandardInputFile(QProcess.nullDevice())
    process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
    process.setProgram(command[0])
    process.setArguments(list(command[1:]))
    return process


def explain_end(process: QProcess) -> str:
    """Say in two sentences how the process ended and what follows."""
    if process.exitStatus() == QProcess.ExitStatus.CrashExit:
        how = _tr("The engine crashed (signal {code}).")
    else:
        how = _tr("The engine ended by itself (exit code {code}).")
    kept = _tr("What was committed is kept; it starts again when needed.")
    return f"{how.format(code=process.exitCode())} {kept}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("engine_process", text)
