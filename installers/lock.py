"""Write installers/constraints.txt: the versions this environment has, and no others.

By hand, in an environment where all checks passed, with the extras `transformers`
and `tsne` installed, which the lock names but nobody gets unasked:
`python -m installers.lock`.
"""

from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from installers.set_up.environment import read_requirements

ROOT = Path(__file__).resolve().parent.parent
# What other systems need beside what this environment holds.
ELSEWHERE = (
    "colorama==0.4.6",
    'fasttext-predict-v2==1.1.0 ; python_version >= "3.14"',
)
EXTRAS = ("transformers", "tsne")
HEADER = """\
# The lock: every package Isogloss runs and is tested with, one version each.
# torch stands without a local suffix: start.py chooses CPU or CUDA (see --help), and
# NVIDIA's libraries, which that choice may bring, are pinned by torch itself.
# Written by `python -m installers.lock`.
"""


def main() -> None:
    """Write the lock."""
    pins = {line.split("==")[0]: line for line in ELSEWHERE}
    wanted = read_requirements(ROOT, with_checks=True, extras=EXTRAS)
    for name, version in closure(wanted).items():
        pins[name] = f"{name}=={version.partition('+')[0]}"
    text = HEADER + "".join(f"{pins[name]}\n" for name in sorted(pins))
    target = ROOT / "installers" / "constraints.txt"
    target.write_text(text, encoding="utf-8", newline="\n")


def closure(requirements: list[str]) -> dict[str, str]:
    """Find the version of each requirement and of all that it requires here."""
    versions: dict[str, str] = {}
    todo = [Requirement(text) for text in requirements]
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        needed = not requirement.marker or requirement.marker.evaluate({"extra": ""})
        if not needed or name in versions or name.startswith(("nvidia-", "cuda-")):
            continue
        versions[name] = metadata.version(name)
        todo += [Requirement(text) for text in metadata.requires(name) or ()]
    versions.pop("triton", None)  # comes and goes with torch's build
    return versions


if __name__ == "__main__":
    main()
