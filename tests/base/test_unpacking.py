"""Packed files: what the system says of them, and what their bytes say."""

import errno
import gzip
import zipfile

import pytest

from sklearn_rank._base._files import UnpackingError, open_unpacked


def test_errors_of_the_system_are_no_damage(tmp_path):
    path = tmp_path / "qrels.gz"
    path.write_bytes(gzip.compress(b"q1 0 d1 1\n" * 1000))
    with pytest.raises(OSError, match="Input/output error"), open_unpacked(path):
        raise OSError(errno.EIO, "Input/output error")
    path.write_bytes(path.read_bytes()[:30])
    with (
        pytest.raises(UnpackingError, match="damaged or incomplete"),
        open_unpacked(path) as file,
    ):
        file.read()


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "run.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("run", "q1 Q0 d1 1 2.5 mine\n")
    return path


# What follows the start of an entry, of the list of entries, or of the end.
@pytest.mark.parametrize(
    ("start", "place", "content", "said"),
    [
        (b"PK\x01\x02", 10, b"\x63\x00", "kind of packing that Python lacks"),  # AES
        (b"PK\x01\x02", 8, b"\x01\x00", "it has a password"),
        (b"PK\x01\x02", 8, b"\x20\x00", "kind of packing"),
        (b"PK\x01\x02", 9, b"\x08", "damaged"),  # UTF-8, which the name below is not
        (b"PK\x01\x02", 42, b"\xff\xff\xff\x7f", "damaged"),
        (b"PK\x03\x04", 26, b"\xff", "damaged"),
        (b"PK\x05\x06", 12, b"\xff\xff\xff\x7f", "damaged"),
        (b"PK\x05\x06", 16, b"\xff\xff\xff\x7f", "damaged"),
    ],
)
def test_every_error_of_a_zip_is_an_unpacking_error(packed, start, place, content, said):
    data = bytearray(packed.read_bytes())
    place += data.rindex(start)
    data[place : place + len(content)] = content
    packed.write_bytes(data.replace(b"run", b"r\xffn") if content == b"\x08" else data)
    with pytest.raises(UnpackingError, match=said), open_unpacked(packed) as file:
        file.read()


def test_every_damaged_byte_of_a_zip_is_an_unpacking_error(packed):
    whole = packed.read_bytes()
    for place in range(2, len(whole)):
        for byte in (0x00, 0x7F, 0xFF):
            packed.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
            try:
                with open_unpacked(packed) as file:
                    file.read()
            except UnpackingError:
                pass
