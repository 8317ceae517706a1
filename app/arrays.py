"""Names of numpy array types by dtype; docstrings specify the shape."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
DoubleArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
IdArray = NDArray[np.int64]  # ids of sentences, pairs or other rows of the store
BoolArray = NDArray[np.bool_]
