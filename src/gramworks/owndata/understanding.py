"""From the user's files to a data set, with everything noticed on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.seeds import generator
from gramworks.errors import DataError
from gramworks.owndata.alignment import align_tables, row_names
from gramworks.owndata.columns import Wishes, type_columns
from gramworks.owndata.findings import Findings, counted, listed, quoted
from gramworks.owndata.gram_folder import matrix_files, place_of, read_grams, tell_alike
from gramworks.owndata.missing import handle_missing, leave_out_constant, leave_out_sparse_columns
from gramworks.owndata.numerals import number_text
from gramworks.owndata.points import assemble_points
from gramworks.owndata.raw_table import RawTable, ReadOptions, find_column
from gramworks.owndata.reading import SPARSE_TARGET, read_own
from gramworks.owndata.suspects import tell_columns, tell_duplicates, tell_given_away
from gramworks.owndata.targets import Target, read_target

LARGEST_GRAM = 2 << 30
"""Bytes of one Gram matrix beyond which a subset of the rows is asked for."""
SLOW_ROWS = 4000


@dataclass(frozen=True)
class Request:
    """What stands behind `gramworks new`."""

    files: tuple[Path, ...]
    target: str | None = None
    labels: Path | None = None
    id_column: str | None = None
    task: str | None = None
    missing: str = "drop"
    common_rows: bool = False
    """Take the rows that all files have, by `id_column`."""
    rows: int | None = None
    """Take so many rows at random."""
    wishes: Wishes = Wishes()
    read: ReadOptions = ReadOptions()


@dataclass(frozen=True)
class Understood:
    """What came out."""

    dataset: Dataset
    target: Target
    originals: list[Path]
    precomputed: bool


def understand(name: str, request: Request, findings: Findings) -> Understood:
    """Read the files and make a data set of them.

    Raises
    ------
    DataError
        With what is wrong and what to do; see the modules of this package.
    """
    request = replace(request, read=replace(request.read, target=request.target))
    folders = [path for path in request.files if path.is_dir()]
    if folders and len(request.files) > 1:
        raise DataError(
            f"{folders[0]} is a folder of Gram matrices, which stands alone; leave the other files "
            "out."
        )
    if folders:
        return _understand_grams(name, folders[0], request, findings)
    return _understand_tables(name, request, findings)


def _understand_tables(name: str, request: Request, findings: Findings) -> Understood:
    _refuse_twice([*request.files, *([request.labels] if request.labels else [])])
    tables = [t for path in request.files for t in read_own(path, request.read, findings)]
    extra = [*request.files]
    if request.labels:
        tables[:0] = read_own(request.labels, request.read, findings)
        extra.append(request.labels)
    own_names = (request.target or SPARSE_TARGET, *request.wishes.ignore)
    tables, id_column = align_tables(
        tables, request.id_column, findings,
        no_names=own_names, common_rows=request.common_rows,
    )  # fmt: skip
    holder, target_name = _find_target(tables, request.target)
    _leave_out_copies(tables, holder, target_name, findings)
    target = read_target(holder, target_name, request.task, findings)
    for wish in (
        *request.wishes.ignore,
        *request.wishes.nominal,
        *request.wishes.text,
        *request.wishes.numeric,
    ):
        find_column(tables, wish, "--ignore, --nominal, --numeric or --text")
    sources, columns = [], []
    for table in tables:
        skip = {target_name} if table is holder else set()
        typed = type_columns(table, skip | ({id_column} - {None}), request.wishes, findings)
        sources.append((table.name, typed, table.sparse))
        columns += typed
    leave_out_sparse_columns(columns)
    tell_columns(columns, findings)
    if not any(column.used for column in columns) and all(s is None for _, _, s in sources):
        raise DataError(
            f"{holder.path}: no column is left beside the target {quoted(target_name)} (left out: "
            f"{listed(c.name for c in columns) or 'none'}); state what rows are like in one more."
        )
    present = [~column.missing for column in columns]
    keep = handle_missing(holder, columns, request.missing, findings)
    lost = int((~keep & ~target.known).sum())
    if lost:
        findings.warn(
            f"{counted(lost, 'row')} without a target dropped too, for their missing values: "
            "`gramworks predict` will not predict them (--missing median keeps them)"
        )
    keep = _chosen_rows(keep, target, request, name, findings)
    leave_out_constant(columns, keep, findings)
    seen = [known & keep for known in present]
    tell_given_away(columns, target, findings, seen)
    tell_duplicates(holder, columns, target, keep, findings)
    X, views, feature_names = assemble_points(sources, keep, findings)
    names = _names_of_rows(tables, columns, id_column)
    rows = np.flatnonzero(keep)
    if isinstance(X, np.ndarray) and X.shape[1] > len(rows):
        findings.warn(
            f"more features ({X.shape[1]}) than rows ({len(rows)}): a linear kernel can part any "
            "classes of the labelled points, so look at the test scores alone"
        )
    kept = _with_all_classes(target.take(rows), findings)
    dataset = Dataset(
        name, X, kept.values, kept.classes, feature_names,
        row_ids=[names[i] for i in rows], views=views,
        unlabelled=None if kept.known.all() else ~kept.known,
        notes=list(findings.warnings),
    )  # fmt: skip
    return Understood(dataset, kept, extra, precomputed=False)


def _refuse_twice(paths: list[Path]) -> None:
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise DataError(f"{path}: the file is named twice; name each file once.")
        seen.add(path.resolve())


def _leave_out_copies(
    tables: list[RawTable], holder: RawTable, target: str, findings: Findings
) -> None:
    """Take the target out of the other files: with it as a feature all methods look perfect."""
    for table in tables:
        copies = (
            [] if table is holder else [c for c in table.columns if c.strip() == target.strip()]
        )
        for column in copies:
            pairs = zip(
                _as_texts(table.columns[column]), _as_texts(holder.columns[target]), strict=True
            )
            other = sum(a != b for a, b in pairs)
            del table.columns[column]
            findings.warn(
                f"{table.path.name}: column {quoted(column)} is called as the target of "
                f"{holder.path.name} is, and is left out; "
                + (f"it differs in {counted(other, 'row')}" if other else "it is the same")
            )


def _find_target(tables: list[RawTable], name: str | None) -> tuple[RawTable, str]:
    if name is None:
        if SPARSE_TARGET in tables[0].columns and tables[0].sparse is not None:
            return tables[0], SPARSE_TARGET
        known = [column for table in tables for column in table.columns]
        raise DataError(
            f"{tables[0].path}: which column is to be predicted? State it with --target; the "
            f"columns are: {listed(known, 40)}."
        )
    return find_column(tables, name, "the target")


def _names_of_rows(tables: list[RawTable], columns, id_column: str | None) -> list[str]:
    """Take the names the file has, or its numbers of lines."""
    if id_column is not None:
        return row_names(tables[0], id_column)
    named = next(
        (c for c in columns if c.kind == "id" and len(set(c.values)) == len(c.values)), None
    )
    if named is not None:
        return list(named.values)
    return [f"{tables[0].unit} {line}" for line in tables[0].lines]


def _chosen_rows(
    keep: np.ndarray, target: Target, request: Request, name: str, findings: Findings
) -> np.ndarray:
    """Look at the size of a Gram matrix before any is computed, and take fewer rows if asked."""
    rows = np.flatnonzero(keep)
    if request.rows is not None and request.rows < len(rows):
        chosen = generator("own data", name, request.rows).permutation(rows)[: request.rows]
        keep = np.isin(np.arange(len(keep)), chosen)
        findings.warn(f"{request.rows} of {len(rows)} rows taken at random, as you said (--rows)")
        rows = chosen
    n = len(rows)
    size = 8 * n * n
    if size > LARGEST_GRAM:
        raise DataError(
            f"{n} rows make Gram matrices of {n} x {n} numbers, {size / 2**30:.1f} GiB each, and "
            f"several are needed. Take some of the rows, with --rows 5000; for all of them, "
            "register the data set and name nystroem-ridge alone (docs/scaling.md)."
        )
    if n > SLOW_ROWS:
        findings.warn(
            f"{n} rows make Gram matrices of {size / 2**20:.0f} MiB each; a run takes long. "
            "--rows 2000 takes a random part for a first look"
        )
    if not target.known[keep].any():
        raise DataError("no row that is left has a target; look at the missing values.")
    return keep


def _with_all_classes(target: Target, findings: Findings) -> Target:
    """Take out classes that no row is left of."""
    if not target.classes:
        return target
    gone = [label for label, n in target.counts().items() if not n]
    if not gone:
        return target
    findings.warn(f"no row is left of {counted(len(gone), 'class', 'classes')}: {listed(gone)}")
    left = [label for label in target.classes if label not in gone]
    if len(left) < 2:
        raise DataError(
            f"target {quoted(target.name)}: of the rows that are left all have one class; see the "
            "missing values, --missing median keeps their rows."
        )
    place = {code: left.index(c) if c in left else 0 for code, c in enumerate(target.classes)}
    values = np.array([place[code] for code in target.values.tolist()], dtype=np.int64)
    return Target(
        target.name, "binary" if len(left) == 2 else "multiclass", left, values, target.known
    )


def _understand_grams(name: str, folder: Path, request: Request, findings: Findings) -> Understood:
    if request.labels is None:
        raise DataError(
            f"{folder}: a folder of Gram matrices has no labels; name the file that has them with "
            "--labels FILE, one row a point, and its column with --target."
        )
    files = matrix_files(folder, request.labels)
    grams, points = read_grams(files, findings)
    tell_alike(grams, findings)
    (table, *_) = read_own(request.labels, request.read, findings)
    target_name = request.target
    if target_name is None and len(table.columns) == 1:
        target_name = next(iter(table.columns))
    n = len(next(iter(grams.values())))
    if len(table.lines) == n:
        table = _in_order_of(points, table, request, findings)
    holder, target_name = _find_target([table], target_name)
    target = read_target(holder, target_name, request.task, findings)
    if len(target.values) != n:
        raise DataError(
            f"{request.labels}: {len(target.values)} rows with labels, the Gram matrices are of "
            f"{n} points; give one row a point, in their order (--no-header if there are no names "
            "above the columns)."
        )
    if request.id_column:
        ids = row_names(holder, find_column([holder], request.id_column, "the names of rows")[1])
    else:
        ids = points or [f"{holder.unit} {line}" for line in holder.lines]
    dataset = Dataset(
        name, ids, target.values, target.classes, [], row_ids=ids, views=grams,
        unlabelled=None if target.known.all() else ~target.known, notes=list(findings.warnings),
    )  # fmt: skip
    return Understood(dataset, target, [*files, request.labels], precomputed=True)


def _in_order_of(
    points: list[str] | None, table: RawTable, request: Request, findings: Findings
) -> RawTable:
    """Bring the labels into the order of the Gram matrices, where both name the points."""
    if points is None:
        if request.id_column:
            findings.warn(
                f"the Gram matrices have no names of points, so that column "
                f"{quoted(request.id_column)} is not compared: rows are taken in their order"
            )
        return table
    if request.id_column:
        column = find_column([table], request.id_column, "the names of rows")[1]
    else:
        names = {c: _as_texts(cells) for c, cells in table.columns.items() if c != request.target}
        shared = {c: len(set(cells) & set(points)) for c, cells in names.items()}
        column = max(shared, key=shared.get, default=None)
        if column is None or shared[column] < 0.5 * len(points):
            findings.warn(
                f"the Gram matrices name the points ({listed(points, 3)}), and no column of "
                f"{table.path.name} has these names: rows are taken in their order"
            )
            return table
    order = place_of(row_names(table, column), points, table.path)
    findings.say(
        f"{table.path.name}: rows are brought into the matrices' order by {quoted(column)}"
    )
    return table.take(order)


def _as_texts(cells: list[str] | np.ndarray) -> list[str]:
    return [v.strip() if isinstance(v, str) else number_text(v) for v in cells]
