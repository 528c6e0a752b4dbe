"""Where the bytes of a data set come from: one module a kind of source."""
