"""Shows a client bytes as certificates that no TLS library would send: the first flight of a TLS 1.2 server is not encrypted."""

import os


def record(kind, body):
    """Records of at most 16 KiB (RFC 5246, section 6.2.1)."""
    pieces = [body[start:start + 16384] for start in range(0, len(body), 16384)] or [b""]
    return b"".join(bytes([kind, 3, 3]) + len(piece).to_bytes(2, "big") + piece for piece in pieces)


def message(kind, body):
    return bytes([kind]) + len(body).to_bytes(3, "big") + body


def show(client, files, staple=None):
    """Sends ServerHello, Certificate and ServerHelloDone, and reads what the client says, until it has closed.

    The cipher is one whose key exchange is encrypted with the certificate's key, so that nothing has to be signed.
    """
    if not client.recv(16384):
        return
    certificates = b""
    for file in files:
        with open(file, "rb") as opened:
            data = opened.read()
        certificates += len(data).to_bytes(3, "big") + data
    stapled = None
    if staple:
        with open(staple, "rb") as opened:
            stapled = opened.read()
    # TLS_RSA_WITH_AES_128_GCM_SHA256; secure renegotiation (RFC 5746), and status_request where a response follows.
    extensions = bytes.fromhex("ff01000100") + (bytes.fromhex("00050000") if stapled else b"")
    hello = b"\x03\x03" + os.urandom(32) + b"\x00" + b"\x00\x9c" + b"\x00"
    hello += len(extensions).to_bytes(2, "big") + extensions
    flight = message(2, hello) + message(11, len(certificates).to_bytes(3, "big") + certificates)
    if stapled:
        flight += message(22, b"\x01" + len(stapled).to_bytes(3, "big") + stapled)
    client.sendall(record(22, flight + message(14, b"")))
    while client.recv(16384):
        pass
