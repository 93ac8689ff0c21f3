"""The part of Kafka's protocol that the tests use: what an operator may do to a topic, and produce requests."""
import socket
import struct

PRODUCE, CREATE_TOPICS, DELETE_TOPICS, DELETE_RECORDS = 0, 19, 20, 21
TIME_OUT = 30_000


def text(value):
    return struct.pack(">h", len(value)) + value.encode()


def listed(items):
    return struct.pack(">i", len(items)) + b"".join(items)


class Reader:
    """Reads one value after another from a frame."""

    def __init__(self, frame):
        self.frame, self.at = frame, 0

    def take(self, form):
        value, = struct.unpack_from(">" + form, self.frame, self.at)
        self.at += struct.calcsize(">" + form)
        return value

    def text(self):
        length = self.take("h")
        if length < 0:
            return None
        self.at += length
        return self.frame[self.at - length:self.at].decode()

    def skip(self, form):
        self.at += struct.calcsize(">" + form)


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise ConnectionError("it was closed")
        data += piece
    return data


def read_frame(connection):
    return read_exactly(connection, struct.unpack(">i", read_exactly(connection, 4))[0])


def write_frame(connection, frame):
    connection.sendall(struct.pack(">i", len(frame)) + frame)


def ask(broker, key, version, body):
    """The response of one broker, read past its header."""
    host, port = broker.rsplit(":", 1)
    with socket.create_connection((host, int(port)), 30) as connection:
        write_frame(connection, struct.pack(">hhi", key, version, 7) + text("tests") + body)
        answer = Reader(read_frame(connection))
    assert answer.take("i") == 7
    return answer


def create_topic(broker, name, partitions, settings):
    configs = listed([text(setting) + text(value) for setting, value in settings.items()])
    topic = text(name) + struct.pack(">ih", partitions, 1) + listed([]) + configs
    answer = ask(broker, CREATE_TOPICS, 2, listed([topic]) + struct.pack(">i?", TIME_OUT, False))
    answer.skip("ii")
    answer.text()
    return answer.take("h")


def produce(broker, topic, partition, batch):
    """Stores one record batch as it is; acknowledged by all copies. The error code."""
    given = struct.pack(">ii", partition, len(batch)) + batch
    topics = listed([text(topic) + struct.pack(">i", 1) + given])
    answer = ask(broker, PRODUCE, 3, struct.pack(">hhi", -1, -1, TIME_OUT) + topics)
    answer.skip("i")
    answer.text()
    answer.skip("ii")
    return answer.take("h")


def delete_topic(broker, name):
    answer = ask(broker, DELETE_TOPICS, 1, listed([text(name)]) + struct.pack(">i", TIME_OUT))
    answer.skip("ii")
    answer.text()
    return answer.take("h")


def delete_records(broker, topic, ends):
    """Deletes the records of a topic before these offsets, by partition; -1 is the end."""
    partitions = listed([struct.pack(">iq", partition, end) for partition, end in ends.items()])
    answer = ask(broker, DELETE_RECORDS, 1, listed([text(topic) + partitions]) + struct.pack(">i", TIME_OUT))
    answer.skip("ii")
    answer.text()
    codes = []
    for _ in range(answer.take("i")):
        answer.skip("iq")
        codes.append(answer.take("h"))
    return max(codes)


def produced_to(frame):
    """The topic and the partition of a produce request, of which librdkafka sends one at a time."""
    request = Reader(frame)
    request.skip("hhi")
    request.text()
    request.text()
    request.skip("hii")
    topic = request.text()
    request.skip("i")
    return topic, request.take("i")


def produce_answer(correlation, topic, partition, error):
    """A broker's response that it did not accept a produce request."""
    about = struct.pack(">ihqqq", partition, error, -1, -1, -1)
    return struct.pack(">i", correlation) + listed([text(topic) + listed([about])]) + struct.pack(">i", 0)


def with_error(frame, error):
    """The response to a produce request, with its error code replaced."""
    answer = Reader(frame)
    answer.skip("ii")
    answer.text()
    answer.skip("ii")
    return frame[:answer.at] + struct.pack(">h", error) + frame[answer.at + 2:]
