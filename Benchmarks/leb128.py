"""Numbers and texts as firstlightd's wire format and ClickHouse's RowBinary have them."""


def leb(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def text(value):
    return leb(len(value)) + value.encode()
