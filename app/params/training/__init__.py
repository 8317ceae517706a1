"""Params of trainings and of grids of trainings, with their presets."""
