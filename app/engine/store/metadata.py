"""What the tables of a project belong to."""

from sqlalchemy import MetaData

metadata = MetaData()
