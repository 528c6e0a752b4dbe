"""Kernels on views, graphs and sequences, through the engine."""

import numpy as np

from gramworks.datasets.store import read_dataset
from gramworks.gram import gram_info, read_gram
from gramworks.kernels import correlation_diffusion, gaussian, normalise

STUDY = """
name: by-view
title: Kernels on views
datasets: {brown-selected: {recipe: standardise}}
splits: {kind: k-fold, folds: 5, repeats: 1}
kernels: {K1: gaussian-w3-unit@heat, K2: correlation-t0.8-b1-unit, K3: linear-mapped-unit@cold}
methods: {uniform: {parameters: {tol: 1e-3}}}
metrics: [test-auc]
"""


def test_views_reach_their_kernels(project):
    project.write("config/studies/by-view.yaml", STUDY)
    project.write("config.yaml", "studies: [by-view]\n")
    project.run()
    folder = project.folder / "results"
    data = read_dataset(folder / "datasets/brown-selected/standardise.h5")
    heat = data.views["heat"]
    np.testing.assert_allclose(heat.std(axis=0), 1)  # a recipe normalises views as it does X
    grams = folder / "gram/brown-selected/standardise"
    K = read_gram(grams / "gaussian-w3-unit@heat.h5")
    np.testing.assert_allclose(K, gaussian(heat, width=3), rtol=1e-12)
    assert gram_info(grams / "gaussian-w3-unit@heat.h5")["kernel"] == "gaussian-w3-unit@heat"
    wanted = normalise(correlation_diffusion(data.X, threshold=0.8, beta=1))
    np.testing.assert_allclose(read_gram(grams / "correlation-t0.8-b1-unit.h5"), wanted)
    assert (grams / "linear-mapped-unit@cold.h5").is_file()
    rows = project.rows("uniform", study="by-view", dataset="brown-selected")
    assert {row["status"] for row in rows} == {"ok"}
    report = (folder / "report/index.html").read_text()
    assert "gaussian-w3-unit@heat" in report
