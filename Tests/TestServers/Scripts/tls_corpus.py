"""Makes servers' certificates of all conditions, and the options of tls_server.py that show each.

The names of the conditions are those of the table in the tests, which has what each has to come to.
"""

import argparse
import json
import os

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509 import ocsp
from cryptography.hazmat.primitives import hashes, serialization

from certificate_maker import build, days, make_root, new_key, pem, rsa_key, usage


class Corpus:
    def __init__(self, folder):
        self.folder = folder
        self.servers = {}
        self.root = make_root("Corpus root")
        self.intermediate = self.root.issue("Corpus intermediate", authority=True, length=0)
        self.rsa = rsa_key(2048)
        self.other_root = make_root("Other trusted root")
        self.expired_root = make_root("Expired root", begins=-9, ends=-1)
        self.unknown_root = make_root("Unknown root")
        self.sha1_root = make_root("SHA-1 root", key=self.rsa, digest="SHA1")
        self.client_root = make_root("Clients' root")
        roots = (self.root, self.other_root, self.expired_root, self.sha1_root)
        self.write("authorities.pem", pem([each.certificate for each in roots]))
        self.write("root.pem", pem([self.root.certificate]))
        self.write("clients.pem", pem([self.client_root.certificate]))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def show(self, name, *chains, key=None, staple=None, **options):
        """A server with the chains of identities, or of certificates with a key, in turn."""
        paths = []
        for index, chain in enumerate(chains):
            certificates, own = (chain, key) if isinstance(chain, list) else (chain.chain, chain.key)
            paths.append(self.write(f"{name}-{index}.pem", pem(certificates, own)))
        if staple is not None:
            options["staple"] = self.write(f"{name}.ocsp", staple)
        self.servers[name] = {"chains": paths, **options}

    def leaf(self, name, **options):
        """A server with a certificate of its own from the intermediate."""
        server = {each: options.pop(each) for each in ("minimum", "maximum", "ciphers") if each in options}
        self.show(name, self.intermediate.issue(name, **options), **server)


def dates(corpus):
    corpus.leaf("good")
    corpus.leaf("expired", begins=-9, ends=-1)
    corpus.leaf("not yet valid", begins=9)
    corpus.leaf("valid for ever", ends=365 * 1000)
    for name, begins, ends in (("expired intermediate", -9, -1), ("intermediate of the future", 9, 99)):
        middle = corpus.root.issue(name, authority=True, begins=begins, ends=ends)
        corpus.show(name, middle.issue(name))
    corpus.show("expired root", corpus.expired_root.issue("expired root"))
    corpus.leaf("expired and wrong name", begins=-9, ends=-1, names=["DNS:other.example"])
    corpus.show("expired from unknown", corpus.unknown_root.issue("expired from unknown", begins=-9, ends=-1))


def names(corpus):
    for name, *list_of_names in (
        ("wrong name", "DNS:other.example"), ("wildcard", "DNS:*.trust.localhost"),
        ("wildcard for two labels", "DNS:*.trust.localhost"), ("wildcard for none", "DNS:*.trust.localhost"),
        ("wildcard inside", "DNS:l*calhost"), ("wildcard at an end", "DNS:a*.trust.localhost"),
        ("wildcard further on", "DNS:trust.*.localhost"), ("wildcard for an address", "DNS:*.0.0.1"),
        ("wildcard of a top level", "DNS:*.localhost"), ("wildcard alone", "DNS:*"),
        ("address as a name", "DNS:127.0.0.1"), ("another common name", "DNS:localhost"), ("address", "IP:127.0.0.1"),
        ("another address", "IP:127.0.0.2"), ("name for an address", "DNS:localhost"),
        ("upper case", "DNS:LOCALHOST"), ("zero byte", "DNS:localhost\0.example"), ("no name",),
        ("second of two names", "DNS:other.example", "DNS:localhost"),
    ):
        corpus.leaf(name, names=list_of_names)
    corpus.show("common name alone", corpus.intermediate.issue("localhost", names=[]))
    corpus.show("address as common name", corpus.intermediate.issue("127.0.0.1", names=[]))
    corpus.show("common name beside another", corpus.intermediate.issue("localhost", names=["DNS:other.example"]))


def chains(corpus):
    good = corpus.intermediate.issue("chain")
    top = corpus.root.certificate
    key = new_key()
    corpus.show("self-signed", [build("self-signed", key, None)], key=key)
    corpus.show("unknown authority", corpus.unknown_root.issue("unknown authority"))
    corpus.show("missing intermediate", [good.certificate], key=good.key)
    corpus.show("root sent along", [*good.chain, top], key=good.key)
    corpus.show("superfluous certificates", [*good.chain, corpus.unknown_root.certificate, *good.chain], key=good.key)
    third = corpus.root.issue("Upper", authority=True).issue("Lower", authority=True).issue("wrong order")
    corpus.show("wrong order", [third.chain[0], top, third.chain[2], third.chain[1]], key=third.key)
    corpus.show("no authority", corpus.root.issue("No authority", authority=False).issue("no authority"))
    corpus.show("may not sign", corpus.root.issue("May not sign", authority=True, signs=False).issue("may not sign"))
    corpus.show("too long a path", corpus.intermediate.issue("Too much", authority=True).issue("too long a path"))
    for name, permitted in (("name constraints kept", "localhost"), ("name constraints broken", "example.org")):
        constraint = x509.NameConstraints([x509.DNSName(permitted)], None)
        middle = corpus.root.issue(name, authority=True, extensions=[constraint])
        corpus.show(name, middle.issue(name, names=["DNS:localhost"]))
    corpus.leaf("damaged signature", digest="damaged")
    corpus.show("other trusted authority", corpus.other_root.issue("other trusted authority"))
    forged = make_root("Corpus root", identifies=False)
    corpus.show("forged authority", forged.issue("forged authority", identifies=False))
    corpus.leaf("for clients only", extensions=[usage("client")])
    corpus.leaf("for servers", extensions=[usage("server")])
    unknown = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.55555.1"), b"\x05\x00")
    corpus.leaf("unknown critical extension", extensions=[unknown])
    corpus.show("changed chain", good, corpus.intermediate.issue("chain"))
    corpus.show("alike but another key", good, corpus.intermediate.issue("chain", key=corpus.rsa))


def strength(corpus):
    weak = corpus.root.issue("RSA 1024 intermediate", authority=True, key=rsa_key(1024))
    corpus.leaf("RSA 1024", key=weak.key)
    corpus.show("RSA 1024 intermediate", weak.issue("RSA 1024 intermediate's"))
    middle = corpus.root.issue("RSA intermediate", authority=True, key=corpus.rsa)
    corpus.show("SHA-1", middle.issue("SHA-1", digest="SHA1"))
    corpus.show("SHA-1 root", corpus.sha1_root.issue("SHA-1 root's"))
    old = corpus.sha1_root.issue("SHA-1 intermediate", authority=True, digest="SHA1")
    corpus.show("SHA-1 intermediate", old.issue("SHA-1 intermediate's"))
    corpus.leaf("P-521", key=ec.generate_private_key(ec.SECP521R1()))
    corpus.leaf("Ed25519", key=ed25519.Ed25519PrivateKey.generate())
    corpus.leaf("TLS 1.1", minimum="1.1", maximum="1.1", key=corpus.rsa)
    corpus.leaf("TLS 1.2", maximum="1.2")
    corpus.leaf("TLS 1.3", minimum="1.3")
    corpus.leaf("RSA key exchange", maximum="1.2", ciphers="AES128-GCM-SHA256", key=corpus.rsa)
    corpus.leaf("no encryption", maximum="1.2", ciphers="NULL-SHA256", key=corpus.rsa)
    corpus.leaf("anonymous", maximum="1.2", ciphers="AECDH-AES128-SHA")
    good = corpus.intermediate.issue("renegotiation")
    corpus.show("renegotiation", good, maximum="1.2", renegotiates=True)
    corpus.servers["plain HTTP"] = {"speaks": "plain"}
    corpus.servers["end of handshake"] = {"speaks": "nothing"}


def response(issuer, certificate, signer=None, status="GOOD", begins=-1, ends=7):
    """An OCSP response (RFC 6960)."""
    revoked = status == "REVOKED"
    signer = signer or issuer
    builder = ocsp.OCSPResponseBuilder().add_response(
        certificate, issuer.certificate, hashes.SHA1(), getattr(ocsp.OCSPCertStatus, status), days(begins),
        days(ends), days(-1) if revoked else None, x509.ReasonFlags.key_compromise if revoked else None)
    builder = builder.responder_id(ocsp.OCSPResponderEncoding.HASH, signer.certificate)
    if signer is not issuer:
        builder = builder.certificates([signer.certificate])
    return builder.sign(signer.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def revocation(corpus):
    issuer = corpus.intermediate
    must = x509.TLSFeature([x509.TLSFeatureType.status_request])
    leaf, strict = issuer.issue("stapled"), issuer.issue("must staple", extensions=[must])
    responder = issuer.issue("Responder", extensions=[usage("ocsp")], names=[])
    for name, made in (
        ("good", {}), ("revoked", {"status": "REVOKED"}), ("unknown", {"status": "UNKNOWN"}),
        ("out of date", {"begins": -9, "ends": -2}), ("of the future", {"begins": 2}),
        ("revoked by responder", {"status": "REVOKED", "signer": responder}),
        ("revoked by anybody", {"status": "REVOKED", "signer": leaf}),
        ("revoked by unknown", {"status": "REVOKED", "signer": corpus.unknown_root}),
    ):
        corpus.show(f"stapled {name}", leaf, staple=response(issuer, leaf.certificate, **made))
        corpus.show(f"must staple {name}", strict, staple=response(issuer, strict.certificate, **made))
    revoked = response(issuer, leaf.certificate, status="REVOKED")
    corpus.show("stapled revoked in TLS 1.2", leaf, staple=revoked, maximum="1.2")
    corpus.show("stapled about another", leaf, staple=response(issuer, strict.certificate))
    corpus.show("stapled damaged", leaf, staple=response(issuer, leaf.certificate)[:-40] + bytes(40))
    corpus.show("stapled nonsense", leaf, staple=b"nonsense")
    refusal = ocsp.OCSPResponseBuilder.build_unsuccessful(ocsp.OCSPResponseStatus.TRY_LATER)
    corpus.show("stapled try later", leaf, staple=refusal.public_bytes(serialization.Encoding.DER))
    corpus.show("must staple nothing", strict)
    corpus.show("must staple nothing in TLS 1.2", strict, maximum="1.2")
    old = issuer.issue("expired and revoked", begins=-9, ends=-1)
    corpus.show("expired and revoked", old, staple=response(issuer, old.certificate, status="REVOKED"))


def clients(corpus):
    server = corpus.intermediate.issue("clients")
    for name, wish, newest in (
        ("client optional", "optional", "1.3"), ("client required", "required", "1.3"),
        ("client required in TLS 1.2", "required", "1.2"),
    ):
        corpus.show(
            name, server, maximum=newest, clientCertificate=wish, clientAuthorities=corpus.path("clients.pem"))
    for name, root in (("alice", corpus.client_root), ("bob", corpus.client_root), ("stranger", corpus.unknown_root)):
        identity = root.issue(name, names=[f"DNS:{name}.example"], extensions=[usage("client")])
        corpus.write(f"{name}.pem", pem(identity.chain, identity.key))
        encrypted = identity.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"))
        corpus.write(f"{name}-encrypted.pem", encrypted + pem(identity.chain))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    corpus = Corpus(parser.parse_args().folder)
    for part in (dates, names, chains, strength, revocation, clients):
        part(corpus)
    with open(corpus.path("servers.json"), "w") as file:
        json.dump(corpus.servers, file)


if __name__ == "__main__":
    main()
