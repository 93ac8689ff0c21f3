"""A proxy in front of a node's port for other nodes, which can be cut: then bytes are held back, and nothing says so."""
import contextlib
import socket
import threading

from broken_wire import close


class CutWire:
    """Forwards everything while it is whole. As a context it listens, and finally closes its connections."""

    def __init__(self, to_port):
        self.to_port = to_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.whole = threading.Event()
        self.whole.set()
        self.sockets = []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.whole.set()
        self.listener.close()
        for each in self.sockets:
            close(each)

    @contextlib.contextmanager
    def cut(self):
        """Bytes that arrive meanwhile are forwarded afterwards, as after a network's partition."""
        self.whole.clear()
        try:
            yield
        finally:
            self.whole.set()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.connect, args=(client,), daemon=True).start()

    def connect(self, client):
        self.whole.wait()
        try:
            node = socket.create_connection(("127.0.0.1", self.to_port), 10)
        except OSError:
            return close(client)
        for each in (client, node):
            each.settimeout(None)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sockets.append(each)
        for one, other in ((client, node), (node, client)):
            threading.Thread(target=self.carry, args=(one, other), daemon=True).start()
        return None

    def carry(self, one, other):
        with contextlib.suppress(OSError):
            while some := one.recv(65536):
                self.whole.wait()
                other.sendall(some)
        close(one), close(other)
