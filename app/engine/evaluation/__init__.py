"""What vectors are good for, measured: retrieval, similarity, spaces, classifiers."""
