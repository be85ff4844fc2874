"""Bytes and long texts as parts of a link, in letters, digits, `-` and `_` alone."""

import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode

_LETTERS = re.compile(r"[\w-]*", re.ASCII)


def letters(data: bytes) -> str:
    """The bytes in base 64, without the padding at the end."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def octets(text: str) -> bytes:
    """The bytes of a packed text. Raises ValueError."""
    if not _LETTERS.fullmatch(text):
        raise ValueError("no packed text")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def pack(text: str, words: bytes) -> str:
    """The text, compressed. words: a dictionary of frequent words; the reader needs the same."""
    packer = zlib.compressobj(9, wbits=-15, zdict=words)
    return letters(packer.compress(text.encode()) + packer.flush())


def unpack(packed: str, words: bytes, most: int) -> str:
    """The text of a packed text. Raises ValueError, also if it has more than `most` bytes."""
    unpacker = zlib.decompressobj(wbits=-15, zdict=words)
    try:
        data = unpacker.decompress(octets(packed), most)
    except zlib.error as error:
        raise ValueError("no packed text") from error
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("cut off, or too long")
    return data.decode()
