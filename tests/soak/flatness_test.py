"""The rule of the soak finds a leak, and takes no noise for one."""
import random

import pytest

from flatness import grows_with, is_flat

DAYS = 90


def noise(seed):
    chance = random.Random(seed)
    return [chance.uniform(0.8, 1.2) for _ in range(DAYS)]


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_flat(seed):
    assert is_flat([200 * factor for factor in noise(seed)])


def test_what_grows_until_it_is_warm_is_flat():
    assert is_flat([min(day, DAYS / 3) for day in range(1, DAYS + 1)])


@pytest.mark.parametrize("seed", range(20))
def test_a_leak_of_a_percent_a_day_is_not_flat(seed):
    assert not is_flat([200 * (1 + day / 100) * factor ** 0.2 for day, factor in enumerate(noise(seed))])


def test_a_log_grows_with_its_events_and_a_leak_beyond_them():
    events = [100 * day for day in range(DAYS)]
    assert grows_with([700 * count for count in events], events)
    assert not grows_with([700 * count + day ** 3 for day, count in enumerate(events)], events)
