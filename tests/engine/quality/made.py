"""Helpers for tests of corpus quality: recorded runs, simple encoders."""

from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from app.arrays import FloatArray
from app.engine.project.project import Project
from app.engine.project.runs import perform_run, queue_run
from app.engine.quality import selection
from app.engine.runtime.report import Report
from app.engine.store.findings import Finding, read_findings
from app.engine.store.schema import finding
from app.params import build_params
from app.params.base import TaskParams


def use_encoders(monkeypatch: pytest.MonkeyPatch, *encoders: Any) -> None:
    """Let tasks find these encoders by name; the first where none is named."""
    known = {encoder.name: encoder for encoder in reversed(encoders)}
    monkeypatch.setattr(
        selection,
        "load_encoder",
        lambda name, *_, **__: known[name] if name else encoders[0],
    )


def run_task(
    project: Project, params_type: type[TaskParams], **fields: Any
) -> tuple[dict[str, Any], list[Finding]]:
    """Run a task as the engine does; give its result and what it found."""
    params = build_params(params_type, fields)
    run = queue_run(project, params)
    result = perform_run(project, params, Report(run=run))
    return result, findings(project, run)


def findings(project: Project, run: int) -> list[Finding]:
    """Read all that a run found, in the order of the places."""
    query = select(func.count()).where(finding.c.run_id == run)
    with project.store.connect() as connection:
        n = connection.scalar(query) or 0
    return [one for one in read_findings(project.store, run, range(n)) if one]


def near_pairs(n: int, n_pairs: int, *, dim: int = 16, seed: int = 1) -> FloatArray:
    """Make unit vectors; row i < n_pairs has a twin at n - 1 - i, of cosine > 0.97."""
    draw = np.random.default_rng(seed)
    vectors = draw.normal(size=(n, dim))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    noise = draw.normal(size=(n_pairs, dim))
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    vectors[n - n_pairs :] = (vectors[:n_pairs] + 0.2 * noise)[::-1]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors, np.float32)
