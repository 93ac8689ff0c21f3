"""A person with a browser: signs in with a password, and sends the session cookie."""
import itertools
import re

from client import Client

PASSWORD = "correct horse battery"
COOKIE = "tilth_session"

_numbers = itertools.count(1)


class Person(Client):
    """A user with a password, at their own address: failures of one do not count for another."""

    def __init__(self, service, plan="summit", password=PASSWORD, source=None, **members):
        number = next(_numbers)
        super().__init__(service.address, source=source or f"127.8.{number // 250}.{number % 250 + 1}")
        self.service, self.password, self.cookie = service, password, None
        self.email = f"person{number}@example.com"
        body = {"email": self.email, "plan": plan, "password": password, **members}
        self.user = service.operate("POST", "/operator/v1/users", body, 201).data
        self.id = self.user["id"]

    def ask(self, method, path, body=None, headers=()):
        headers = list(dict(headers).items())
        if self.cookie and not any(name.lower() == "cookie" for name, _ in headers):
            headers.append(("Cookie", f"{COOKIE}={self.cookie}"))
        return self.send(method, path, body, headers)

    def try_to_sign_in(self, password=None, email=None, headers=()):
        body = {"email": email or self.email, "password": password or self.password}
        return self.send("POST", "/api/auth/sign-in", body, headers)

    def signed_in(self):
        reply = self.try_to_sign_in()
        assert reply.status == 200, reply
        self.cookie = cookie_of(reply)
        return self

    def move_to(self, address):
        self.close()
        host, port = address.rsplit(":", 1)
        self.address = (host, int(port))

    def mint(self, status=201, **members):
        reply = self.ask("POST", "/api/api-keys", {"name": "k", "scopes": ["all"], **members})
        assert reply.status == status, reply
        return reply.data if status == 201 else reply


def set_cookie(reply):
    """The value of Set-Cookie, and its attributes in lower case."""
    value, *attributes = reply.header("Set-Cookie").split("; ")
    return value.partition("=")[2], {attribute.lower() for attribute in attributes}


def cookie_of(reply):
    value, _ = set_cookie(reply)
    assert re.fullmatch("[0-9a-f]{64}", value), value
    return value
