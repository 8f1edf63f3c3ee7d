"""Makes certificates, good ones and others, with cryptography's builder."""

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
DAY = datetime.timedelta(days=1)
LOCAL = ["DNS:localhost", "IP:127.0.0.1"]


def days(number):
    return NOW + number * DAY


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def general_name(text):
    kind, value = text.split(":", 1)
    if kind == "IP":
        return x509.IPAddress(ipaddress.ip_address(value))
    return x509.DNSName(value)


class Identity:
    """A certificate with its key, and what is between it and a root."""

    def __init__(self, certificate, key, above=()):
        self.certificate = certificate
        self.key = key
        self.above = list(above)

    @property
    def chain(self):
        return [self.certificate, *self.above]

    def issue(self, name, **options):
        """Another's certificate, whose chain leads here; the root is not part of chains."""
        key = options.pop("key", None) or new_key()
        above = [] if self.certificate.subject == self.certificate.issuer else self.chain
        return Identity(build(name, key, self, **options), key, above)


def make_root(name, key=None, **options):
    key = key or new_key()
    return Identity(build(name, key, None, authority=True, **options), key)


def build(
    name, key, issuer, names=LOCAL, begins=-2, ends=3650, authority=False, length=None, extensions=(), digest=None,
    signs=True, serial=None, identifies=True, issuer_name=None,
):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else [])
    public = key.public_key()
    builder = (
        x509.CertificateBuilder().subject_name(subject).public_key(public)
        .issuer_name(issuer_name or (issuer.certificate.subject if issuer else subject))
        .serial_number(serial or x509.random_serial_number())
        .not_valid_before(days(begins)).not_valid_after(days(ends))
    )
    if authority is not None:
        builder = builder.add_extension(x509.BasicConstraints(authority, length if authority else None), True)
    if authority:
        builder = builder.add_extension(x509.KeyUsage(not signs, *[False] * 4, signs, signs, False, False), True)
    elif names:
        builder = builder.add_extension(x509.SubjectAlternativeName([general_name(each) for each in names]), False)
    if identifies:
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
        if issuer:
            other = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key())
            builder = builder.add_extension(other, False)
    for extension in extensions:
        critical = isinstance(extension, (x509.NameConstraints, x509.UnrecognizedExtension))
        builder = builder.add_extension(extension, critical)
    signer = issuer.key if issuer else key
    plain = isinstance(signer, ed25519.Ed25519PrivateKey)
    certificate = builder.sign(signer, None if plain else hashes.SHA256())
    if digest == "SHA1":
        return signed_over_sha1(certificate, signer)
    if digest == "damaged":
        encoded = bytearray(certificate.public_bytes(serialization.Encoding.DER))
        encoded[-3] ^= 1
        return x509.load_der_x509_certificate(bytes(encoded))
    return certificate


def signed_over_sha1(certificate, key):
    """cryptography has no such signatures any more. The names of RSA's with SHA-1 and SHA-256 differ in their last byte."""
    old, new = bytes.fromhex("2a864886f70d01010b"), bytes.fromhex("2a864886f70d010105")
    body = certificate.tbs_certificate_bytes.replace(old, new, 1)
    signature = key.sign(body, padding.PKCS1v15(), hashes.SHA1())
    return x509.load_der_x509_certificate(
        tlv(0x30, body + tlv(0x30, tlv(6, new) + tlv(5, b"")) + tlv(3, b"\x00" + signature)))


def tlv(tag, content):
    """DER: a tag, a length, a value."""
    if len(content) < 128:
        return bytes([tag, len(content)]) + content
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + content


def usage(*purposes):
    known = {
        "server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH,
        "ocsp": ExtendedKeyUsageOID.OCSP_SIGNING,
    }
    return x509.ExtendedKeyUsage([known[each] for each in purposes])


def rsa_key(bits):
    return rsa.generate_private_key(65537, bits)


def pem(certificates, key=None):
    text = b"".join(each.public_bytes(serialization.Encoding.PEM) for each in certificates)
    if key:
        text += key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return text
