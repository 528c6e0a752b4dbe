"""CSV files as text, read whole or refused by name."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from gramworks.errors import FileDamaged


def read_table(path: str | Path, columns: Sequence[str], *, hint: str = "") -> pd.DataFrame:
    """Read a CSV file as text, with exactly the given columns.

    Parameters
    ----------
    path : path-like
        UTF-8 with a header line.
    columns : sequence of str
        The header, in this order.
    hint : str
        What to do about a bad file; ends every message.

    Returns
    -------
    DataFrame
        All values text as written: "NA", "None" and "01" stay what they are.

    Raises
    ------
    FileDamaged
        It is missing, empty, cut, not UTF-8, has another header or a row of another length.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        table = pd.read_csv(
            io.BytesIO(content), dtype=str, keep_default_na=False, encoding="utf-8", header=None
        )
    except FileNotFoundError:
        raise FileDamaged(f"{path}: there is no such file. {hint}".strip()) from None
    except pd.errors.EmptyDataError:
        raise FileDamaged(f"{path}: is empty. {hint}".strip()) from None
    except (pd.errors.ParserError, UnicodeDecodeError, OSError) as error:
        told = " ".join(str(error).split())
        raise FileDamaged(f"{path}: is no readable CSV file ({told}). {hint}".strip()) from error
    if not content.endswith(b"\n"):
        raise FileDamaged(f"{path}: its last line is cut. {hint}".strip())
    header = table.iloc[0].tolist()
    if header != list(columns):
        raise FileDamaged(
            f"{path}: has the columns {header}, expected {list(columns)}. {hint}".strip()
        )
    table = table.iloc[1:].reset_index(drop=True).set_axis(list(columns), axis=1)
    # A row cut short is filled up with NaN by the reader; written fields are never NaN.
    short = table.isna().any(axis=1)
    if short.any():
        raise FileDamaged(
            f"{path}: row {int(short.idxmax()) + 2} has fewer than {len(columns)} fields. "
            f"{hint}".strip()
        )
    return table
