"""docs/house.md and its picture are what the package is now."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree as ET

from tests.pages import make_house

PAGE = make_house.PAGE.read_text(encoding="utf-8")
PICTURE = make_house.PICTURE.read_text(encoding="utf-8")
AGAIN = "write it again: python tests/pages/make_house.py"


def test_the_page_is_up_to_date() -> None:
    assert make_house.page() == PAGE, AGAIN


def test_the_picture_is_up_to_date() -> None:
    assert make_house.picture() == PICTURE, AGAIN


def test_every_link_leads_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE)
    assert len(targets) > 200
    assert not [target for target in targets if not (make_house.PAGE.parent / target).exists()]


def test_every_room_is_drawn_once_and_in_the_row_of_its_layer() -> None:
    drawn = [each for each in ET.fromstring(PICTURE).iter() if each.get("font-weight") == "bold"]  # noqa: S314, ours
    rows = {str(each.text).rstrip("/"): float(each.get("y", "nan")) // make_house.ROW for each in drawn}
    assert len(drawn) == len(rows)
    assert rows == make_house.LAYER


def test_what_follows_from_other_lines_is_not_drawn() -> None:
    assert make_house.reduced({"errors": set(), "grammar": {"errors"}, "kernels": {"errors", "grammar"}}) == {
        "errors": set(),
        "grammar": {"errors"},
        "kernels": {"grammar"},
    }


def test_nothing_lies_over_anything() -> None:
    lines = make_house.Lines(make_house.reduced(make_house.uses()))
    x = make_house.settled(lines)
    for row in lines.rows:
        for left, right in itertools.pairwise(row):
            assert x[left] + make_house.width(left) / 2 < x[right] - make_house.width(right) / 2


def test_every_file_says_what_it_is() -> None:
    missing = [name for name in make_house.HOUSE["modules"]() if not make_house.summary(name).endswith((".", ":"))]
    assert not missing
