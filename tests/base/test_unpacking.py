"""Packed files: what the system says of them, and what their bytes say."""

import errno
import gzip

import pytest

from sklearn_rank._base._files import UnpackingError, open_unpacked


def test_errors_of_the_system_are_no_damage(tmp_path):
    path = tmp_path / "qrels.gz"
    path.write_bytes(gzip.compress(b"q1 0 d1 1\n" * 1000))
    with pytest.raises(OSError, match="Input/output error"), open_unpacked(path):
        raise OSError(errno.EIO, "Input/output error")
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(UnpackingError, match="not whole"), open_unpacked(path) as file:
        file.read()
