"""Read our exports with another program, and validate them by their schemas."""

import json
from pathlib import Path

from lxml import etree

from app.engine.runtime.report import Report
from app.engine.tasks.export_pairs import export_pairs
from app.params import build_params
from app.params.pairs import ExportPairs
from tests.peers.agreement import Agreement, NotInstalledError, Peers, agree

# file of the schema, format of the export, ending of its file
SCHEMAS = (
    ("tmx14.dtd", "tmx", ".tmx"),
    ("xliff-core-1.2-strict.xsd", "xliff-1.2", ".xlf"),
    ("xliff_core_2.0.xsd", "xliff-2.0", ".xlf"),
    ("tei_all.rng", "tei", ".xml"),
)


def _export(peers: Peers, kind: str, suffix: str) -> Path:
    """Export the mined pairs."""
    out = peers.folder / f"pairs-{kind}{suffix}"
    fields = {"pairs": "1", "out": out, "format": kind, "verdicts": ["all"]}
    params = build_params(ExportPairs, {**fields, "replace": True})
    export_pairs(peers.project, params, Report())
    return out


def _own_pairs(peers: Peers) -> list[tuple[str, str]]:
    lines = _export(peers, "jsonl", ".jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [(row["source"], row["target"]) for row in rows]


def compare_tmx(peers: Peers) -> Agreement:
    """Read a TMX export with translate-toolkit."""
    from translate.storage.tmx import tmxfile

    with _export(peers, "tmx", ".tmx").open("rb") as stream:
        units = tmxfile(stream, "en", "de").units
    return _compare(peers, [(str(unit.source), str(unit.target)) for unit in units])


def compare_xliff(peers: Peers) -> Agreement:
    """Read an XLIFF export with translate-toolkit."""
    from translate.storage.xliff import xlifffile

    with _export(peers, "xliff-1.2", ".xlf").open("rb") as stream:
        units = xlifffile(stream).units
    return _compare(peers, [(str(unit.source), str(unit.target)) for unit in units])


def _compare(peers: Peers, found: list[tuple[str, str]]) -> Agreement:
    own = _own_pairs(peers)
    return agree(bool(own) and found == own, f"{len(found):,} of {len(own):,} pairs")


def validate(peers: Peers) -> Agreement:
    """Validate the exports by the schemas that there are."""
    folder = peers.schemas
    if folder is None:
        raise NotInstalledError("name a folder of schemas with --schemas")
    known = [one for one in SCHEMAS if (folder / one[0]).exists()]
    if not known:
        raise NotInstalledError(f"{folder} has none of the schemas")
    faults = []
    for name, kind, suffix in known:
        file = folder / name
        schema: etree.DTD | etree.XMLSchema | etree.RelaxNG
        if file.suffix == ".dtd":
            schema = etree.DTD(str(file))
        elif file.suffix == ".xsd":
            schema = etree.XMLSchema(file=str(file))
        else:
            schema = etree.RelaxNG(file=str(file))
        if not schema.validate(etree.parse(_export(peers, kind, suffix))):
            faults.append(f"{kind}: {str(schema.error_log).splitlines()[0]}")
    figures = "; ".join(faults) or ", ".join(kind for _, kind, _ in known)
    return agree(not faults, figures)
