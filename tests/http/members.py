"""A member of a record: what it accepts, how that is returned, what it refuses, and whether null clears it."""
import dataclasses
from typing import Any

REQUIRED = object()  # as the default: a create without the member is refused


@dataclasses.dataclass
class Member:
    name: str
    good: list  # values as sent, or pairs of (sent, answered)
    bad: list
    default: Any = None
    below: list = dataclasses.field(default_factory=list)  # (sent, the path that details name)

    @property
    def clearable(self):
        return self.default is None

    @property
    def pairs(self):
        return [value if isinstance(value, tuple) else (value, value) for value in self.good]

    def __str__(self):
        return self.name


def text(name, longest, default=None, empty=True):
    values = ["x" * longest, "\U0001F33E" * longest, " as sent "[:longest]]
    wrong = ["x" * (longest + 1), 7, True, ["x"], {}, "a\0b"]
    return Member(name, values + [""] if empty else values, wrong if empty else [*wrong, ""], default)


def choice(name, values, default=None):
    return Member(name, values.split(), ["", "another", values.split()[0].upper(), 1], default)


def decimal(name, low, high, default=None, above=False):
    """A decimal within bounds; `above`: the low bound itself is refused."""
    good = [(2, "2"), ("2.50", "2.5"), (1.25, "1.25"), ("+3", "3"), ("1e0", "1")]
    bad = [-1, "-0.5", "x", "", True, [1], {"a": 1}, "0.000000001"]
    (bad if above else good).append(low if above else (low, str(low)))
    if above:
        good.append(("0.00000001", "0.00000001"))
    if high is None:
        good.append(("999999999999999999", "999999999999999999"))
        bad.append("1000000000000000000")
    else:
        good.append((high, str(high)))
        bad += [high + 1, f"{high}.00000001"]
    return Member(name, good, bad, default)


def integer(name, low, high, default=None):
    return Member(name, [low, high, (str(high), high), (float(low), low)],
                  [low - 1, high + 1, low + 0.5, "x", "", True, [1]], default)


def date(name):
    return Member(name, ["2026-05-01", ("2026-05-01T23:59:59-08:00", "2026-05-01"), "2024-02-29"],
                  ["2026-02-30", "x", "", 20260501, True, "2026-5-1"])


def instant(name):
    return Member(name, [("2026-02-28T04:00Z", "2026-02-28T04:00:00.000Z"), ("2026-02-28", "2026-02-28T00:00:00.000Z"),
                         ("2026-02-28T06:00:00.1239+02:00", "2026-02-28T04:00:00.123Z")],
                  ["2026-02-30", "2026-02-28T04:00", "x", "", 20260228, True])


SQUARE = [[[0, 0], [0, 2], [2, 2], [2, 0], [0, 0]]]
POLYGON = {"type": "Polygon", "coordinates": SQUARE}
BOW_TIE = {"type": "Polygon", "coordinates": [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]}


def polygon(name, point=False):
    bad = ["x", 1, [], {}, BOW_TIE, {"type": "Polygon"}, {"type": "Polygon", "coordinates": []},
           {"type": "LineString", "coordinates": SQUARE[0]}]
    place = {"type": "Point", "coordinates": [1.5, 2]}
    return Member(name, [POLYGON] + [place] * point, [], None,
                  [(value, name) for value in (bad if point else [*bad, place])])


def place(name):
    inside = [{"lat": 90, "lng": -180}, {"lat": -90, "lng": 180}, {"lat": 59.8581234, "lng": 17.6389}]
    below = [({"lat": 90.1, "lng": 0}, f"{name}.lat"), ({"lat": 0, "lng": -180.5}, f"{name}.lng"),
             ({"lat": 1}, f"{name}.lng"), ({"lng": 1}, f"{name}.lat"), ({"lat": "x", "lng": 1}, f"{name}.lat"),
             ({"lat": None, "lng": 1}, f"{name}.lat")]
    return Member(name, inside, ["x", 1, [1, 2]], None, below)


def check_create(create, member):
    """`create(body)` posts the smallest valid body, with these members replaced."""
    for sent, answered in member.pairs:
        reply = create({member.name: sent})
        assert reply.status == 201, (sent, reply)
        assert reply.data[member.name] == answered, (sent, reply)
        assert type(reply.data[member.name]) is type(answered), (sent, reply)


def names_fault(reply, path, sent):
    assert reply.status == 400 and reply.json["code"] == "VALIDATION_ERROR", (sent, reply)
    named = set(reply.details)
    assert named and all(at == path or at.startswith(path + ".") for at in named), (sent, reply)


def check_refusals(create, change, member):
    """`change` is None for records that are never amended."""
    wrong = [(value, member.name) for value in member.bad] + member.below
    for sent, path in wrong if member.clearable else [*wrong, (None, member.name)]:
        names_fault(create({member.name: sent}), path, sent)
        if change:
            names_fault(change({member.name: sent}), path, sent)


def check_absence(create, member):
    reply = create({})
    if member.default is REQUIRED:
        assert create({member.name: ...}).details.keys() == {member.name}
        return
    assert reply.data[member.name] == member.default, reply
    if member.clearable:
        assert create({member.name: None}).data[member.name] is None


def check_changes(read, change, member):
    """Each good value is set, reads back, and leaves all other members unchanged; null clears."""
    for sent, answered in member.pairs + [(None, None)] * member.clearable:
        before = read()
        reply = change({member.name: sent})
        assert reply.status == 200, (sent, reply)
        assert reply.data == read()
        assert reply.data == {**before, member.name: answered, "updatedAt": reply.data["updatedAt"]}, sent
