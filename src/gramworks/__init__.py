"""Gramworks: kernel learning as a Snakemake workflow and a Python library."""

__version__ = "0.1.0"
