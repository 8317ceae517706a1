"""Attribution: the contribution of each token to the similarity of two sentences."""
