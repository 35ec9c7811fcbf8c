import pytest

from sklearn_rank._cli import main
from sklearn_rank.datasets import make_interactions


@pytest.fixture(scope="session")
def small_log():
    return make_interactions(
        150, 80, 2000, n_tastes=4, drift=0, random_state=0, as_frame=True
    )


@pytest.fixture(scope="session")
def small_csv(small_log, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.csv"
    small_log.to_csv(path, index=False)
    return path


@pytest.fixture
def run(capsys):
    """Run the command line; return (exit code, stdout, stderr)."""

    def run_it(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_it


@pytest.fixture
def fails(run):
    """Run the command line, which must fail as promised; return what it says."""

    def fail(*arguments):
        code, _, err = run("tune", *arguments)
        lines = [line for line in err.splitlines() if not line.startswith("Tuning")]
        assert code == 2
        assert len(lines) == 1
        assert lines[0].startswith("sklearn-rank: error: ")
        return lines[0]

    return fail


@pytest.fixture
def write(tmp_path):
    """Write a file; return its path."""

    def write_it(text, name="log.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_it
