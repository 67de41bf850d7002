"""A certificate authority of our own and a server certificate that it vouches for."""

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

AUTHORITY = "authority.pem"
AUTHORITY_HASH = "aabdaf6b.0"
"""The file name under which OpenSSL looks for a name like this authority's in a folder."""
_SERVER, _KEY = "server.pem", "server-key.pem"


def make_authority(folder: Path) -> Path:
    """Write the authority, and a certificate for 127.0.0.1; gives the file that a client trusts."""
    authority_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _builder("authority", "authority", authority_key, depth=0)
    server = _builder("127.0.0.1", "authority", server_key, depth=None)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    for name, builder in ((AUTHORITY, authority), (_SERVER, server)):
        signed = builder.sign(authority_key, hashes.SHA256())
        (folder / name).write_bytes(signed.public_bytes(pem))
    private = server_key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    (folder / _KEY).write_bytes(private)
    return folder / AUTHORITY


def server_context(folder: Path) -> ssl.SSLContext:
    """A server's context with what `make_authority` wrote."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / _SERVER, folder / _KEY)
    return context


def _builder(
    subject: str, issuer: str, key: ec.EllipticCurvePrivateKey, *, depth: int | None
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=depth is not None, path_length=depth), True)
    )
    if depth is not None:
        return builder
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    return builder.add_extension(x509.SubjectAlternativeName([address]), False)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
