"""The table of truths: every fast case passes, the command says so, and the page is made from it."""
import json
import pathlib
import re

import pytest

from conftest import ROOT
from scree import bench_truth
from scree.bench_truth import case as judge


@pytest.mark.parametrize("case", [c for c in bench_truth.CASES if not c.slow], ids=lambda c: c.name)
def test_case(case):
    rows = bench_truth.run(case)
    assert rows and not [row for row in rows if not row["pass"]], bench_truth.table(rows)


def test_judges_can_fail():
    assert judge.near("", 1.0, 1.05, 0.1).passed and not judge.near("", 1.0, 1.2, 0.1).passed
    assert judge.relative("", 10, 10.5, 0.1).passed and not judge.relative("", 10, 12, 0.1).passed
    assert judge.most("", 0.5, 1).passed and not judge.most("", float("nan"), 1).passed and not judge.least("", 0.5, 1).passed
    assert judge.order("", (4, 2, 1), (16, 4, 1)).passed and not judge.order("", (4, 2, 1), (4, 2, 1)).passed
    assert not judge.exactly("", 0, 1).passed


def test_a_case_that_raises_is_a_row_that_fails():
    def broken():
        """Raises."""
        yield judge.near("first", 1, 1, 0)
        raise RuntimeError("no")
    rows = bench_truth.run(judge.Case("impacts", "broken", "3.8", False, broken, "Raises."))
    assert [row["pass"] for row in rows] == [True, False] and "no" in rows[1]["got"]


def test_command(command):
    done = command("bench", "truth", "--only", "Projectile", "--json", "-")
    rows = json.loads(done.out)["rows"]
    assert done.status == 0 and len(rows) == 3 and all(row["pass"] and {"case", "expected", "got", "bound", "theory"} <= set(row) for row in rows)
    done = command("bench", "truth", "--only", "Projectile")
    assert done.status == 0 and "3 rows, 3 pass, 0 fail" in done.out
    done = command("bench", "truth", "--only", "no such case")
    assert done.status == 2 and "themes are" in done.err


def test_the_page_has_every_case():
    page = (ROOT / "docs/validation.md").read_text()
    missing = [c.name for c in bench_truth.CASES if f"### {c.name}\n" not in page]
    assert not missing, "run tools/validation.py"
    for picture in re.findall(r"\]\((images/[^)]*)\)", page):
        assert (pathlib.Path(ROOT) / "docs" / picture).exists()


def test_cases_cite_sections_that_exist():
    sections = set(re.findall(r"^#+ (\d+(?:\.\d+)?)", (ROOT / "docs/theory.md").read_text(), re.M))
    assert not [c.name for c in bench_truth.CASES if c.theory not in sections]
