"""Alembic environment: run migrations on the connection that `migrate` provides."""

from alembic import context

from app.engine.store.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
