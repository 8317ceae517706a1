"""Panels around the views: runs, log, inspector, project."""
