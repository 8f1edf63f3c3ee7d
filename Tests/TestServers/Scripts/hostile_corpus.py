"""Makes certificates, keys and PKCS #12 files that are odd, damaged or dishonest.

Each certificate is a file in DER, a folder with many is a chain. Their names say what is odd.
"""

import argparse
import base64
import os

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID

from certificate_maker import Identity, build, der, make_root, new_key, pem, rsa_key, tlv, usage

NAMES = x509.ObjectIdentifier("2.5.29.17")
CONSTRAINTS = x509.ObjectIdentifier("2.5.29.19")
USAGE = x509.ObjectIdentifier("2.5.29.15")
NAME_CONSTRAINTS = x509.ObjectIdentifier("2.5.29.30")
# tls_server.py shows certificates with this key as far as the client's judgement of them.
KEY = rsa_key(2048)
FEATURES = x509.ObjectIdentifier("1.3.6.1.5.5.7.1.24")


def with_extension(root, identifier, value, **options):
    extension = x509.UnrecognizedExtension(identifier, value)
    return der(root.issue("odd", key=KEY, names=[], extensions=[extension], **options).certificate)


def patched(data, old, new):
    """Bytes of the same number in the place of others; the signature is wrong then."""
    assert old in data and len(old) == len(new), (old, new)
    return data.replace(old, new, 1)


def nested(depth):
    value = b""
    for _ in range(depth):
        value = tlv(0x30, value)
    return value


def certificates(root):
    plain = der(root.issue("good", serial=0x7F, key=KEY).certificate)
    curve = root.issue("curve")
    elliptic = der(curve.certificate)
    body = tlv(0x30, b"")
    yield "good", plain
    yield "zero byte in common name", patched(plain, b"good", b"g\0od")
    yield "zero bytes for a name", patched(plain, b"localhost", bytes(9))
    yield "no UTF-8", patched(plain, b"good", b"\xff\xfe\xc3\x28")
    yield "negative serial", patched(plain, b"\x02\x01\x7f", b"\x02\x01\xff")
    yield "version 9", patched(plain, b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x08")
    yield "unknown curve", patched(elliptic, bytes.fromhex("2a8648ce3d030107"), bytes.fromhex("2a8648ce3d03017f"))
    yield "unknown key", patched(elliptic, bytes.fromhex("2a8648ce3d0201"), bytes.fromhex("2a8648ce3d027f"))
    point = curve.key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    yield "point beside the curve", patched(elliptic, point, point[:-1] + bytes([point[-1] ^ 1]))
    yield "point at infinity", patched(elliptic, point, bytes(len(point)))
    start = plain.index(b"\x17\x0d")
    for name, text in (("letters", b"notadateatalZ"), ("month 13", b"261399000000Z"), ("no zone", b"2601010000000")):
        yield f"dates of {name}", plain[:start + 2] + text + plain[start + 15:]
    yield "no dates", plain[:start] + b"\x05\x0d" + plain[start + 2:]
    yield "other algorithm inside", patched(plain, bytes.fromhex("2a8648ce3d040302"), bytes.fromhex("2a8648ce3d040303"))
    yield "10000 names", der(root.issue("x", key=KEY, names=[f"DNS:host-{index}.example" for index in range(10000)]).certificate)
    yield "10000 addresses", der(root.issue("x", key=KEY, names=["IP:127.0.0.2"] * 10000).certificate)
    yield "60 kB", with_extension(root, x509.ObjectIdentifier("1.2.3.4"), bytes(60000))
    yield "1 MB", with_extension(root, x509.ObjectIdentifier("1.2.3.4"), bytes(1000000))
    yield "2 MB", with_extension(root, x509.ObjectIdentifier("1.2.3.4"), bytes(2000000))
    long = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "n" * 64)] * 500)
    yield "500 common names", der(root.issue("x", key=KEY, issuer_name=long).certificate)
    yield "serial of 20 bytes", der(root.issue("x", key=KEY, serial=(1 << 159) - 1).certificate)
    for name, value in (
        ("nothing", b""), ("no list", b"\x05\x00"), ("an empty list", body), ("an empty name", tlv(0x30, tlv(0x82, b""))),
        ("an address of 5 bytes", tlv(0x30, tlv(0x87, b"12345"))), ("an empty address", tlv(0x30, tlv(0x87, b""))),
        ("a length that lies", b"\x30\x7f\x82\x09localhost"), ("a length of 4 GiB", b"\x30\x84\xff\xff\xff\xff\x82"),
        ("zero in a name", tlv(0x30, tlv(0x82, b"localhost\0.example"))), ("a dot", tlv(0x30, tlv(0x82, b"."))),
        ("stars", tlv(0x30, tlv(0x82, b"*.*.*"))), ("no text", tlv(0x30, tlv(0x82, b"\xff\xfe\xfd"))),
        ("other kinds", tlv(0x30, tlv(0xA0, body) + tlv(0xA4, nested(3)) + tlv(0x86, b"urn:x") + tlv(0x88, b"\x2a"))),
        ("300 levels", nested(300)),
    ):
        yield f"names with {name}", with_extension(root, NAMES, value)
    for name, identifier in (("constraints", CONSTRAINTS), ("usage", USAGE), ("features", FEATURES)):
        yield f"{name} of nonsense", with_extension(root, identifier, b"nonsense", authority=None)
    yield "features without end", with_extension(root, FEATURES, tlv(0x30, tlv(2, bytes(300)) + tlv(2, b"\xff" * 300)))
    yield "weak exponent", der(root.issue("x", key=rsa.generate_private_key(3, 1024)).certificate)
    number = KEY.public_key().public_numbers().n.to_bytes(256, "big")
    yield "modulus 0", patched(plain, number, bytes(256))
    yield "modulus of ones", patched(plain, number, b"\xff" * 256)
    yield "exponent 0", patched(plain, b"\x02\x03\x01\x00\x01", b"\x02\x03\x00\x00\x00")
    yield "more behind", plain + b"more"
    yield "half", plain[:len(plain) // 2]
    yield "length of 4 GiB", b"\x30\x84\xff\xff\xff\xff" + plain[4:]
    yield "length without end", b"\x30\x80" + plain[4:] + b"\0\0"
    yield "nothing", b""
    yield "no certificate", bytes(range(256)) * 3
    yield "10000 levels", nested(10000)


def chains(root):
    link = root
    for index in range(99):
        link = link.issue(f"link {index}", authority=True)
    yield "100 links", link.issue("end", key=KEY).chain
    names = [x509.DNSName(f"{index}.example") for index in range(2000)]
    middle = root.issue("constraints", authority=True, extensions=[x509.NameConstraints(None, names)])
    yield "names by constraints", middle.issue("x", key=KEY, names=[f"DNS:{index}.example.org" for index in range(2000)]).chain
    one = new_key()
    loop = Identity(build("loop", one, None, authority=True), one)
    yield "loop", [root.issue("loop", key=KEY).certificate, loop.certificate, loop.certificate] * 5
    yield "300 roots of one name", [make_root("one name").certificate for _ in range(300)]


def iterations(count):
    """PBES2 with PBKDF2 (RFC 8018) and AES-256."""
    derivation = tlv(0x30, tlv(4, bytes(8)) + tlv(2, count.to_bytes(8, "big").lstrip(b"\0")))
    function = tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d01050c")) + derivation)
    cipher = tlv(0x30, tlv(6, bytes.fromhex("60864801650304012a")) + tlv(4, bytes(16)))
    return tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d01050d")) + tlv(0x30, function + cipher))


def dear_pkcs12(count, mac=None):
    data = tlv(6, bytes.fromhex("2a864886f70d010701"))
    encrypted = tlv(2, b"\0") + tlv(0x30, data + iterations(count) + tlv(0x80, bytes(64)))
    safe = tlv(0x30, tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d010706")) + tlv(0xA0, tlv(0x30, encrypted))))
    content = tlv(2, b"\x03") + tlv(0x30, data + tlv(0xA0, tlv(4, safe)))
    if mac:
        digest = tlv(0x30, tlv(0x30, tlv(6, bytes.fromhex("2b0e03021a")) + tlv(5, b"")) + tlv(4, bytes(20)))
        content += tlv(0x30, digest + tlv(4, bytes(8)) + tlv(2, mac.to_bytes(8, "big").lstrip(b"\0")))
    return tlv(0x30, content)


def identities(root):
    client = root.issue("client", extensions=[usage("client")])
    secret = serialization.BestAvailableEncryption(b"secret")
    yield "good.p12", pkcs12.serialize_key_and_certificates(b"client", client.key, client.certificate, None, secret)
    yield "plain.p12", pkcs12.serialize_key_and_certificates(
        b"client", client.key, client.certificate, None, serialization.NoEncryption())
    yield "keyless.p12", pkcs12.serialize_key_and_certificates(None, None, None, [client.certificate], secret)
    yield "dear.p12", dear_pkcs12(0x7FFFFFFF)
    yield "dearer.p12", dear_pkcs12(1 << 62)
    yield "dear mac.p12", dear_pkcs12(1, mac=0x7FFFFFFF)
    yield "dearer mac.p12", dear_pkcs12(1, mac=1 << 62)
    other = new_key()
    yield "another's.pem", pem([client.certificate], other)
    yield "good.pem", pem([client.certificate]) + client.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, secret)
    key = base64.encodebytes(tlv(0x30, iterations(0x7FFFFFFF) + tlv(4, bytes(64))))
    yield "dear.pem", pem([client.certificate]) + (
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n" + key + b"-----END ENCRYPTED PRIVATE KEY-----\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    folder = parser.parse_args().folder
    root = make_root("Hostile root")
    for kind, make in (("certificates", certificates), ("identities", identities)):
        os.makedirs(os.path.join(folder, kind))
        for name, data in make(root):
            with open(os.path.join(folder, kind, name), "wb") as file:
                file.write(data)
    for name, chain in chains(root):
        os.makedirs(os.path.join(folder, "chains", name))
        for index, certificate in enumerate(chain):
            with open(os.path.join(folder, "chains", name, f"{index:03}"), "wb") as file:
                file.write(der(certificate))


if __name__ == "__main__":
    main()
