from __future__ import annotations

from pathlib import Path

import pytest

from kbc.shipping.errors import ShippingError
from kbc.shipping.lock import read_lock

ROOT = Path(__file__).parents[3]
ONE, OTHER = "1" * 64, "2" * 64


def lock(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "requirements.txt"
    path.write_text(text)
    return path


def test_names_are_normalised_and_hashes_sorted(tmp_path: Path) -> None:
    text = (
        f"# comment\nRuamel.yaml==0.18 \\\n    --hash=sha256:{OTHER} \\\n    --hash=sha256:{ONE}\n"
        f'numpy==2.0 ; python_version >= "3.11" --hash=sha256:{ONE}\n'
    )
    assert read_lock([lock(tmp_path, text)]) == {
        ("ruamel-yaml", "0.18"): (ONE, OTHER),
        ("numpy", "2.0"): (ONE,),
    }


def test_several_files_are_one_lock(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text(f"b==2 --hash=sha256:{OTHER}\n")
    found = read_lock([lock(tmp_path, f"a==1 --hash=sha256:{ONE}\n"), other])
    assert set(found) == {("a", "1"), ("b", "2")}
    assert read_lock([]) == {}


@pytest.mark.parametrize(
    "text", ["", "numpy>=2\n", "numpy==2.0\n", "numpy==2.0 --hash=sha256:12\n", "\0\xff"]
)
def test_a_file_without_hashes_is_no_lock(tmp_path: Path, text: str) -> None:
    with pytest.raises(ShippingError, match=r"requirements\.txt contains no locked requirement"):
        read_lock([lock(tmp_path, text)])


def test_the_locks_of_this_repository_are_read() -> None:
    found = read_lock([ROOT / "requirements" / "runtime.txt"])
    assert {"numpy", "mcp", "tantivy"} <= {name for name, _ in found}
