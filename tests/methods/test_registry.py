import pytest

from gramworks.errors import ConfigError
from gramworks.methods.registry import NEEDS, TASKS, load_method, method_module, method_names


@pytest.mark.parametrize("name", method_names())
def test_module_states_what_it_must(name):
    method = load_method(name)
    module = method.module
    stem = module.__name__.rpartition(".")[2]
    assert stem.replace("_", "-") == module.NAME
    assert name in (module.NAME, f"{module.NAME}-1")
    assert module.SUMMARY
    assert not module.SUMMARY.endswith(".")
    assert module.REFERENCE
    assert set(method.needs) <= set(NEEDS)
    assert method.tasks
    assert set(method.tasks) <= set(TASKS)
    assert callable(module.fit)


@pytest.mark.parametrize("name", method_names())
def test_parameters_have_defaults_and_descriptions_and_refuse_unknown_keys(name):
    method = load_method(name)
    params = method.parameters({}, "test")
    for field_name, field in type(params).model_fields.items():
        assert field.description, f"{name}: {field_name} has no docstring"
    with pytest.raises(ConfigError, match="unknown key 'no-such-key'"):
        method.parameters({"no-such-key": 1}, "test")


def test_family_members_have_an_index():
    assert load_method("single-12").index == 12
    assert load_method("uniform").index is None


@pytest.mark.parametrize(
    "name", ["singel-1", "single", "single-0", "margin_nonnegative", "_one-kernel", "registry"]
)
def test_unknown_names_are_refused_with_the_valid_ones(name):
    with pytest.raises(ConfigError, match="Valid: .*margin-nonnegative"):
        method_module(name)


def test_near_name_is_suggested():
    with pytest.raises(ConfigError, match="did you mean 'margin-nonnegative'"):
        load_method("margin-nonegative")


@pytest.mark.parametrize("name", ["svm", "kernel-ridge"])
def test_methods_on_rows_read_no_more(name, tmp_path):
    import dataclasses

    from test_methods_conform import problem

    from gramworks.gram import write_gram
    from gramworks.stored_grams import GramRows

    method = load_method(name)
    params = method.parameters({"kernel": "K2"}, "test")
    assert method.gram_use(params) == "rows"
    made = problem("multiclass")
    write_gram(tmp_path / "K2.h5", made.kernels["K2"])
    rows = dataclasses.replace(made, kernels={"K2": GramRows(tmp_path / "K2.h5")})
    wanted, found = method.fit(made, params), method.fit(rows, params)
    assert (wanted.predictions == found.predictions).all()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"width": "medain"}, ["width: no 'medain'; did you mean", "width: expected a number"]),
        ({"width": -1}, ["width: Input should be 'median'", "width: Input should be greater"]),
        ({"loss": "logistic"}, ["loss=logistic: no kernel does it"]),
        ({"nu_grid": [0, "x"]}, ["nu_grid.1: expected a number"]),
    ],
)
def test_faults_name_keys_and_not_the_kinds_of_values_that_were_tried(values, expected):
    with pytest.raises(ConfigError) as caught:
        load_method("invariance").parameters(values, "study s")
    lines = str(caught.value).splitlines()
    assert len(lines) == len(expected)
    for line, start in zip(lines, expected, strict=True):
        assert line.startswith(f"study s: method invariance: {start}")
