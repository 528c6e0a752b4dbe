"""A study that makes its draws itself and draws its own figures, through the engine."""


def test_own_draws_and_own_figures_reach_the_report(project):
    project.write("config.yaml", "studies: [target-iris]\nrepeats: 1\n")
    project.edit("config/studies/target-iris.yaml", "draws: 1000", "draws: 100")
    project.run()
    [plain] = [
        float(row["value"])
        for row in project.rows("kernel-pca", study="target-iris", dataset="iris-two")
        if row["metric"] == "correlation"
    ]
    assert abs(plain - 0.733) < 5e-4
    report = project.folder / "results/report"
    for number in (1, 2, 3, 4):
        assert (report / f"target-iris/figures/figure-{number}.png").is_file()
    page = (report / "index.html").read_text()
    assert "Histograms of figure 2 in Generalised components of iris" in page
    assert "Plots of metrics (5)" in page
    # The figures' module is part of the tables' fingerprint, and of nothing else.
    project.edit("src/gramworks/studies/target_iris.py", "markersize=11", "markersize=12")
    made = project.rerun()
    assert "results/report/target-iris/figures/figure-1.svg" in made
    assert not any(name.startswith(("results/scores", "results/gram")) for name in made)
