"""Scores of control rows, once more as columns beside those of the honest rows."""

from __future__ import annotations

from gramworks.settings import format_setting, parse_setting


def oracle_column(rows: list[dict], metric: str, key: str) -> list[dict]:
    """Give the rows ``oracle-METRIC``: what the same method scores with KEY=oracle.

    Parameters
    ----------
    rows : list of dict
        All rows of a study.
    metric : str
    key : str
        The setting that makes a row of the method `optimal-target` a control.

    Returns
    -------
    list of dict
        Rows of the controls under the settings of the honest rows.
    """
    made = []
    for row in rows:
        setting = parse_setting(row["setting"])
        if row["metric"] == metric and setting.pop(key, None) == "oracle":
            honest = format_setting(setting)
            made.append(row | {"setting": honest, "metric": f"oracle-{metric}"})
    return made
