"""The papers whose published numbers are compared, as they are cited."""

PAPERS = {
    "kernel-matrix-sdp": (
        "Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan, Learning the kernel matrix with "
        "semidefinite programming, JMLR 5 (2004) 27-72"
    ),
    "cluster-kernels": (
        "Chapelle, Weston and Schölkopf, Cluster kernels for semi-supervised learning, NIPS 15 "
        "(2002) 601-608"
    ),
    "optimal-target-vector": (
        "Angelini, Marinazzo, Pellicoro and Stramaglia, Semi-supervised learning by search of "
        "optimal target vector (2007)"
    ),
    "invariance-rkhs": (
        "Zhang, Lee and Teh, Learning with invariance via linear functionals on reproducing kernel "
        "Hilbert space, NIPS 26 (2013) 2031-2039"
    ),
    "kernel-dependency-estimation": (
        "Weston, Chapelle, Elisseeff, Schölkopf and Vapnik, Kernel dependency estimation, NIPS 15 "
        "(2002) 897-904"
    ),
}
"""Identifier, as in published.csv and study files, to the citation."""

TITLES = {
    "kernel-matrix-sdp": "Learning the kernel matrix with semidefinite programming",
    "cluster-kernels": "Cluster kernels for semi-supervised learning",
    "optimal-target-vector": "Search of the optimal target vector",
    "invariance-rkhs": "Learning with invariance via linear functionals",
    "kernel-dependency-estimation": "Kernel dependency estimation",
}
"""Identifier to a heading."""
OWN = "Your own studies"
"""Heading of studies that no paper stands behind."""
