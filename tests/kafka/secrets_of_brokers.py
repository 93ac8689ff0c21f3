"""A certificate authority, a broker's certificate, and a user with a password: for a listener with TLS and SASL."""
import secrets
import subprocess

USER = "tilth"


def openssl(directory, *arguments):
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_authority(directory, name):
    openssl(directory, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.pem")


def secure_settings(directory):
    """Writes ca.pem, stranger.pem and password into the directory; returns the settings of a broker."""
    directory.mkdir()
    make_authority(directory, "ca")
    make_authority(directory, "stranger")
    (directory / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl(directory, "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", "broker.key",
            "-out", "broker.csr")
    openssl(directory, "x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", "broker.crt")
    (directory / "broker.pem").write_text((directory / "broker.key").read_text() +
                                          (directory / "broker.crt").read_text())
    password = secrets.token_hex(16)
    (directory / "password").write_text(password + "\n")
    users = f'username="{USER}" password="{password}" user_{USER}="{password}"'
    return {
        "ssl.keystore.type": "PEM", "ssl.keystore.location": directory / "broker.pem",
        "ssl.truststore.type": "PEM", "ssl.truststore.location": directory / "ca.pem",
        "sasl.enabled.mechanisms": "PLAIN", "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.sasl_ssl.plain.sasl.jaas.config":
            f"org.apache.kafka.common.security.plain.PlainLoginModule required {users};",
    }
