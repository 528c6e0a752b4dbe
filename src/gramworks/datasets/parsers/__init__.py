"""Parsers of data files, found by file name: `format: keel` is keel.py."""
