"""Whether a series of samples is flat: the rule by which a soak tells a leak from noise."""
import statistics

GROWTH = 1.1  # that much more in the last third than in the middle one is noise; the first third warms up


def thirds(samples):
    """The first, the middle and the last third of a series, in order."""
    size = len(samples) // 3
    assert size, f"too few samples: {len(samples)}"
    return samples[:-2 * size], samples[-2 * size:-size], samples[-size:]


def medians(samples):
    """The median of each third of a series."""
    return tuple(statistics.median(third) for third in thirds(samples))


def is_flat(samples):
    """The median of the last third is no more than a tenth above that of the middle third."""
    _, middle, last = medians(samples)
    return last <= GROWTH * middle


def rates(amounts, events):
    """By how much an amount grows for each event, in the middle third and in the last one."""
    first, middle, last = thirds(list(zip(amounts, events)))
    bounds = (first[-1], middle[-1], last[-1])
    return tuple((end[0] - begin[0]) / max(1, end[1] - begin[1]) for begin, end in zip(bounds, bounds[1:]))


def grows_with(amounts, events):
    """An event costs no more than a tenth more in the last third than in the middle one."""
    middle, last = rates(amounts, events)
    return last <= GROWTH * max(middle, 0)
