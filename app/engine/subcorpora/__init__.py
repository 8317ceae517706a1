"""Sub-corpora: run query steps over corpora."""
