from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.cli.inputs import read_programs
from gramarye.data import CSV
from gramarye.errors import GramaryeError, OutputError
from gramarye.experiment import read_experiment
from gramarye.files import check_output, read_limited, write_text, write_whole


def fails_half_way(path: Path, content: bytes) -> int:
    with path.open("wb") as file:
        file.write(content[: len(content) // 2])
    raise OSError(28, "No space left on device")


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.txt"
    path.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", fails_half_way)
        with pytest.raises(OutputError, match=r"kept\.txt: can't be written \(No space left on device\); choose"):
            write_text(path, "new and longer")
    assert path.read_text() == "old"
    write_text(path, "new\udc80")
    assert path.read_text() == "new\\udc80"
    assert list(tmp_path.iterdir()) == [path]  # and nothing beside it


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(path: Path, content: bytes) -> int:
        path.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "new", b"new")
    assert not list(tmp_path.iterdir())


def test_a_symbolic_link_stays_one_and_its_target_is_replaced(tmp_path: Path) -> None:
    there, link = tmp_path / "there", tmp_path / "link.txt"
    there.mkdir()
    link.symlink_to(Path("there") / "real.txt")
    for content in (b"first", b"second"):  # also where there is no target yet
        check_output(link)
        write_whole(link, content)
        assert link.is_symlink()
        assert (there / "real.txt").read_bytes() == content
    assert [path.name for path in there.iterdir()] == ["real.txt"]
    link.unlink()
    link.symlink_to(tmp_path / "gone" / "real.txt")
    with pytest.raises(OutputError, match=r"link\.txt: there is no folder .*gone; create it"):
        check_output(link)


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.touch(0o600)
    write_whole(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        check_output(pipe)
        write_whole(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_the_folder_must_take_the_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.txt"
    path.touch()
    monkeypatch.setattr(os, "access", lambda place, _: Path(place) != tmp_path)
    with pytest.raises(OutputError, match=r"old\.txt: no permission to write to .*; choose another place"):
        check_output(path)


@pytest.mark.parametrize(
    "read",
    [
        gm.Grammar.from_file,
        read_experiment,
        lambda path: read_programs(path, gm.problems.load("quartic").grammar, gm.GE()),
    ],
)
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
def test_a_file_without_end_is_not_read_to_its_end(read: Callable[[Path], Any]) -> None:
    with pytest.raises(GramaryeError, match=r"/dev/zero:? can't be read \(it is larger than 64 MB\)"):
        read(Path("/dev/zero"))


def test_a_table_may_be_larger_but_not_endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n" * 2**18)  # 2 MB
    assert len(read_limited(path)) == path.stat().st_size
    monkeypatch.setattr("gramarye.data.frames.LARGEST_TABLE", 2**20)
    with pytest.raises(GramaryeError, match=r"table\.csv: can't be read \(it is larger than 1 MB\)"):
        CSV(path)
