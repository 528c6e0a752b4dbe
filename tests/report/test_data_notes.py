"""What was done to one's own data is told above the answer."""

from gramworks.report.data_notes import data_notes


def test_what_changed_the_data_comes_first_and_is_short(make_study):
    study = make_study(datasets={"own": {}})
    caveats = [
        "12 rows are equal to another one",
        "6 rows with missing values dropped, 297 of 303 are left",
        "left out, names of rows: 'id', 'name'",
    ]
    rows = [{"id": "own", "caveats": caveats}, {"id": "another", "caveats": ["dropped"]}]
    assert data_notes(study, rows) == {"notes": caveats[1:], "more": 1}
    # a text in place of a list, in a study of several data sets
    several = make_study()
    rows = [{"id": "iris", "caveats": "filled " + "x " * 300}]
    [note] = data_notes(several, rows)["notes"]
    assert note.startswith("iris: filled x")
    assert note.endswith("…")
    assert len(note) <= 160
    assert data_notes(study, [{"id": "own"}]) == {"notes": [], "more": 0}


def test_studies_of_papers_have_no_such_line(make_study):
    study = make_study(paper="kernel-matrix-sdp", datasets={"iris": {}})
    assert data_notes(study, [{"id": "iris", "caveats": ["dropped"]}])["notes"] == []
