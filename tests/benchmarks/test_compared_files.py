import pytest

from tests.benchmarks.compared_files import FILES, WAYS, make_files, run

pytest.importorskip("pyarrow")


@pytest.mark.parametrize("kind", FILES)
def test_each_way_finds_the_same(kind, tmp_path):
    make_files(tmp_path, 2_000, kind)
    in_memory, streamed = (run(way, tmp_path) for way in WAYS)
    for name in ("differences", "p_values"):
        assert streamed[name] == pytest.approx(in_memory[name], rel=1e-9, abs=1e-15)
    assert streamed["seconds"] > 0
    assert streamed["megabytes"] > 10
