"""What a name means that no record has."""

from __future__ import annotations

from pathlib import Path

from tests.runtime.search.ranking.compiled_trees import compiled

from kb_runtime.knowledge.reading.lookup import get


def test_a_name_means_what_source_defines_and_not_a_test_that_is_called_so(tmp_path: Path) -> None:
    files = {
        "deck/parts/lid.py": "class Lid:\n    def is_closed(self):\n        return self.level == 0\n",
        "test_lid.py": "def is_closed():\n    return 1\n\n\ndef closes_again():\n    return 2\n",
    }
    with compiled(tmp_path, files=files, embed=False) as tree:
        assert get(tree, "is_closed").id == "deck/parts/lid.py"
        assert get(tree, "test_lid.is_closed").id == get(tree, "closes_again").id == "test_lid.py"
