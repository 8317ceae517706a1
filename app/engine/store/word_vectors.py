"""Names of the word vectors and maps of a project: one folder each."""

from pathlib import Path

TABLES, MAPS = "word-vectors", "word-maps"  # folders of a project
TABLE_FILE, MAP_FILE = "table.json", "map.json"  # written last


def list_table_names(project_folder: Path) -> list[str]:
    """List the names of a project's word vectors."""
    return _names(project_folder / TABLES, TABLE_FILE)


def list_map_names(project_folder: Path) -> list[str]:
    """List the names of a project's maps."""
    return _names(project_folder / MAPS, MAP_FILE)


def _names(folder: Path, file: str) -> list[str]:
    found = (one.parent.name for one in folder.glob(f"*/{file}"))
    return sorted(name for name in found if not name.startswith("."))
