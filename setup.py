"""Packages of the wheel: `app`, with `resources/` and `docs/` inside it."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["app", "app.*"]), "app.resources", "app.docs"],
    package_dir={"app.resources": "resources", "app.docs": "docs"},
    package_data={
        "app": ["**/*.mako"],
        "app.resources": ["**/*"],
        "app.docs": ["**/*"],
    },
)
