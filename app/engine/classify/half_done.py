"""What an interrupted classification left."""

from app.engine.project import Project
from app.engine.store.classifier_rows import list_predictions
from app.engine.store.classifier_writes import drop_prediction
from app.engine.store.prediction_arrays import remove_prediction_files


def drop_half_done(project: Project, run: int) -> list[int]:
    """Remove the incomplete predictions of a run; gives their ids."""
    dropped = []
    for row in list_predictions(project.store):
        if row.run_id == run and row.n_done < row.n_rows:
            drop_prediction(project.store, row.id)
            remove_prediction_files(project.folder, row.array)
            dropped.append(row.id)
    return dropped
