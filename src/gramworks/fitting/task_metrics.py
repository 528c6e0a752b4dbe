"""Which metrics the workflow computes from predictions, by task."""

METRICS_OF_TASK = {
    "binary": ("test-accuracy-percent", "test-error-percent", "test-auc"),
    "multiclass": ("test-accuracy-percent", "test-error-percent", "test-auc"),
    "regression": ("mean-square-error", "root-mean-square-error"),
    "structured": ("string-loss", "classification-loss"),
    "vectors": ("rbf-loss", "output-loss", "classification-loss"),
}
