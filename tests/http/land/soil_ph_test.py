"""A field's soilPh: set by its newest sample, by the farmer, and by the remaining samples when one is removed."""
import pytest

from entries import SOIL_SAMPLES
from service import path_of


@pytest.fixture
def field(tilth):
    return FieldOf(tilth)


class FieldOf:
    def __init__(self, tilth):
        self.tilth, self.user = tilth, tilth.user()
        self.land = self.user.land()
        self.path = path_of(self.land[1])

    def sample(self, taken, ph):
        """Each sample is recorded at another instant."""
        self.tilth.advance("PT1S")
        return self.user.entry(SOIL_SAMPLES, self.land[2], self.land[3], sampledAt=taken, ph=ph)

    def remove(self, sample):
        self.tilth.advance("PT1S")
        assert self.user.delete(sample["path"]).status == 204

    def put(self, **members):
        self.tilth.advance("PT1S")
        assert self.user.put(self.path, members).status == 200

    @property
    def ph(self):
        return self.user.read(self.path)["soilPh"]

    @property
    def touched(self):
        """Whether the last event changed the field."""
        return self.user.read(self.path)["updatedAt"] == self.tilth.now()


def test_the_newest_sample_tells_it_when_it_arrives(field):
    assert field.ph is None
    field.sample("2026-02-01", "6.40")
    assert field.ph == "6.4" and field.touched
    field.sample("2026-01-31T23:59:59Z", 5)
    assert field.ph == "6.4" and not field.touched
    field.sample("2026-02-01", 7)
    assert field.ph == "7" and field.touched, "of two taken at the same time, the one recorded last wins"
    field.sample("2026-02-02", None)
    assert field.ph == "7" and not field.touched


def test_a_sample_of_the_same_value_is_news_all_the_same(field):
    field.sample("2026-02-01", 6)
    tag = field.user.get(field.path).header("ETag")
    field.sample("2026-02-02", 6)
    assert field.touched and field.user.get(field.path).header("ETag") != tag


def test_it_falls_back_when_its_sample_is_removed(field):
    first, second, third = (field.sample(f"2026-02-0{day}", day) for day in (1, 2, 3))
    field.remove(second)
    assert field.ph == "3" and not field.touched
    field.remove(third)
    assert field.ph == "1" and field.touched
    field.remove(first)
    assert field.ph == "1" and not field.touched, "no sample is left: the value stays"
    field.sample("2020-01-01", 9)
    assert field.ph == "9" and field.touched


def test_the_farmer_s_word_holds_until_a_sample_newer_than_all_others(field):
    field.sample("2026-02-01", 6)
    newest = field.sample("2026-02-02", 7)
    field.put(soilPh="5.5")
    field.sample("2026-01-15", 8)
    assert field.ph == "5.5" and not field.touched
    field.remove(newest)
    assert field.ph == "5.5" and not field.touched
    field.sample("2026-02-01T12:00:00Z", 4)
    assert field.ph == "4" and field.touched, "it is newer than the samples that are left"
    field.put(soilPh=None)
    assert field.ph is None
    field.put(notes="Wet.")
    assert field.ph is None


def test_samples_tell_it_after_a_restart_too(field):
    field.sample("2026-02-01", 6)
    newest = field.sample("2026-02-02", 7)
    field.tilth.restart()
    client = field.tilth.stranger()
    client.authorization = field.user.authorization
    assert client.read(field.path)["soilPh"] == "7"
    assert client.delete(newest["path"]).status == 204
    assert client.read(field.path)["soilPh"] == "6"


def test_a_sample_elsewhere_changes_nothing(field):
    other = field.user.field(field.land[0])
    field.sample("2026-02-01", 6)
    assert field.user.read(path_of(other))["soilPh"] is None
