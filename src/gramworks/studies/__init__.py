"""Studies: protocols that belong to one paper, and the files that describe them."""
