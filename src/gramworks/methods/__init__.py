"""Methods as the workflow names them, one module each, found by file name."""
