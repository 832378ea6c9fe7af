"""Solfec's test cases from their closed forms: the quick ones of solfec_benchmarks.py, each within 0.1 % or with the reason why not."""
import pathlib

import pytest

import solfec_benchmarks as benchmarks

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "coming_from_solfec.md"


@pytest.mark.parametrize("name", [name for name, case in benchmarks.CASES.items() if case.quick])
def test_closed_form(tmp_path, name):
    rows = benchmarks.CASES[name](tmp_path)
    assert rows
    for what, measured, exact, bound in rows:
        assert measured == pytest.approx(exact, rel=bound), what
        assert bound <= benchmarks.EXACT or benchmarks.CASES[name].reason, f"{what}: a bound of {bound} needs a reason"


def test_the_page_has_every_case():
    page = PAGE.read_text()
    assert [name for name in benchmarks.CASES if f"| {name} |" not in page] == []
