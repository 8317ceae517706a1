"""Packages of the wheel: `app`, and `resources/`, which it carries as app.resources."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["app", "app.*"]), "app.resources"],
    package_dir={"app.resources": "resources"},
    package_data={"app": ["**/*.mako"], "app.resources": ["**/*"]},
)
