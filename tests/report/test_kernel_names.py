"""K1, K2, ... are explained where they are shown."""

from gramworks.report.kernel_names import kernel_names


def test_names_are_explained_where_they_are_used(make_study):
    study = make_study(
        datasets={"iris": {}, "heart": {"kernels": ["gaussian-w1"]}, "sonar": {}},
        kernels=["linear", "gaussian-w2"],
    )
    shared = "K1 linear, K2 gaussian-w2"
    for text in ("kernel=K2", "C=1;kernel=K2", "weight-1", "single-2"):
        assert kernel_names(study, ["iris", "sonar"], ["", text]) == [f"Kernels: {shared}"]
    assert kernel_names(study, ["iris", "sonar"], ["", "C=1", "svm", "test-auc"]) == []
    assert kernel_names(study, ["iris", "heart", "sonar", "gone"], ["weight-1"]) == [
        f"Kernels of iris, sonar, gone: {shared}",
        "Kernels of heart: K1 gaussian-w1",
    ]
