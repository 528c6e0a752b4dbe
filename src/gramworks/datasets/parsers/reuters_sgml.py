"""Reuters-21578 with the ModApte split: SGML files to weights of terms and topics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.reuters_documents import Document, read_documents
from gramworks.datasets.terms import Terms, weigh
from gramworks.errors import DataError, suggest
from gramworks.fields import StrictModel, Unique


class Options(StrictModel):
    """Options of `format: reuters_sgml`."""

    terms: Terms
    parts: Annotated[list[Literal["title", "dateline", "body"]], Field(min_length=1), Unique]
    """Parts of a story that count; a story not divided into parts counts whole."""
    other_topics: Literal["refuse", "ignore"] = "refuse"
    """Topics that are not among the classes."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Parse the documents of the ModApte split, in the order of the files.

    These are the documents with TOPICS="YES" whose LEWISSPLIT is TRAIN or TEST, with or without a
    topic.

    Returns
    -------
    Dataset
        X (n, d) CSR of the weights of the terms of all documents together, y (n, k) of the topics,
        row ids NEWID, one partition (TRAIN, TEST).

    Raises
    ------
    DataError
        With file and line.
    """
    columns = {name: i for i, name in enumerate(entry.target.classes)}
    texts: list[str] = []
    topics: list[set[int]] = []
    parts: dict[str, list[int]] = {"TRAIN": [], "TEST": []}
    ids: dict[str, None] = {}
    ignored = repeated = 0
    for path in files:
        for document in read_documents(path):
            split = document.attributes.get("LEWISSPLIT")
            if document.attributes.get("TOPICS") != "YES" or split not in parts:
                continue
            number = document.attributes.get("NEWID", "")
            if not number.isascii() or not number.isdecimal() or number in ids:
                raise DataError(
                    f"{path}, line {document.line}: NEWID is {number!r}; a number that no other "
                    "document has is expected."
                )
            strange = [name for name in document.topics if name not in columns]
            if strange and options.other_topics == "refuse":
                raise DataError(
                    f"{path}, line {document.line}: topic {strange[0][:80]!r} is not declared; "
                    f"{suggest(strange[0][:80], columns)}."
                )
            ignored += len(strange)
            repeated += len(document.topics) - len(set(document.topics))
            ids[number] = None
            parts[split].append(len(texts))
            texts.append(_text(document, options))
            topics.append({columns[name] for name in document.topics if name in columns})
    if not parts["TRAIN"] or not parts["TEST"]:
        raise DataError(
            f"{files[0]}: {len(parts['TRAIN'])} training and {len(parts['TEST'])} test documents "
            "of the ModApte split in the files; both are needed."
        )
    X, names = weigh(texts, options.terms, str(files[0]))
    y = np.zeros((len(texts), len(columns)), dtype=np.int8)
    for row, found in enumerate(topics):
        y[row, sorted(found)] = 1
    counted = {
        "documents without any of the topics": int((~y.any(axis=1)).sum()),
        "mentions of other topics ignored": ignored,
        "topics that a document mentions again": repeated,
        "documents without any term are zero rows": int((np.diff(X.indptr) == 0).sum()),
    }
    return Dataset(
        entry.id, X, y, list(columns), names, row_ids=list(ids),
        partitions=[(np.array(parts["TRAIN"]), np.array(parts["TEST"]))],
        notes=[f"{count} {what}" for what, count in counted.items() if count],
    )  # fmt: skip


def _text(document: Document, options: Options) -> str:
    if document.kind == "UNPROC":
        return document.parts.get("rest", "")
    return "\n".join(document.parts.get(part, "") for part in options.parts)
