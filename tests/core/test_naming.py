import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.names import fold
from millpond.core.naming import column_names, parse_table_name, table_names


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("list_issues", "list_issues_k7q2xd_3"),
        ("GitHub.list-Issues", "github_list_issues_k7q2xd_3"),
        ("2nd", "t2nd_k7q2xd_3"),
        ("日本", "tool_k7q2xd_3"),
        ("x" * 128, "x" * 40 + "_k7q2xd_3"),
    ],
)
def test_a_table_is_named_for_its_tool_canvas_and_call(tool: str, name: str) -> None:
    """NAME-01"""
    assert table_names(tool, "k7q2xd", 3, ["$.items"]) == (name,)


def test_further_row_sets_add_the_last_word_of_their_path() -> None:
    """NAME-02"""
    assert table_names("t", "k7q2xd", 1, ["$.rows", "$.facets", "$.x.facets", '$."!"']) == (
        "t_k7q2xd_1",
        "t_k7q2xd_1_facets",
        "t_k7q2xd_1_facets_3",
        "t_k7q2xd_1_4",
    )


@given(st.text(min_size=1), st.integers(1, 10**6), st.lists(st.text(), min_size=1, max_size=8))
def test_a_name_reads_back_and_no_two_are_the_same(tool: str, call: int, paths: list[str]) -> None:
    """NAME-02 NAME-03"""
    names = table_names(tool, "k7q2xd", call, paths)
    assert len(set(names)) == len(paths)
    for name in names:
        parts = parse_table_name(name)
        assert parts is not None
        assert (parts.tag, parts.call) == ("k7q2xd", call)


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["id", "Title", 'a"b', "order"], ("id", "Title", 'a"b', "order")),
        (["x", "X", "x_2"], ("x", "X_3", "x_2")),
        ([""], ("empty_1",)),
        (["_row", "_key", "_KEY"], ("_row_1", "_key_1", "_KEY_2")),
        (["a\0b", "a_b"], ("a_b_2", "a_b")),
        (["a\nb", "c\x1b[2J", "d\u202e"], ("a_b_2", "c_[2J_2", "d__2")),
        (["é", "É"], ("é", "É")),
    ],
)
def test_a_column_is_named_for_its_key_unless_that_cannot_be(keys: list[str], names: tuple[str, ...]) -> None:
    """NAME-04 NAME-05"""
    assert column_names(keys) == names


@given(st.lists(st.text(alphabet="aAbB_12\0é", max_size=4), unique=True))
def test_no_two_columns_are_the_same_to_duckdb(keys: list[str]) -> None:
    """NAME-05"""
    names = column_names(keys)
    assert len({fold(name) for name in names}) == len(keys)
    assert all(name and "\0" not in name for name in names)
