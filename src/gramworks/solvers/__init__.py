"""Pure numerical functions: no estimator, no file, no config."""
