#!/usr/bin/env python3
"""Computes exact answers to the questions of decimal_test.cc without our code: one answer per line."""
import re
import sys
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def canonical(value):
    if value == 0:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def parse(text):
    """The canonical text, or "refused"."""
    if not NUMBER.fullmatch(text):
        return "refused"
    mantissa, _, exponent = text.lower().partition("e")
    if Decimal(mantissa) == 0:
        return "0"
    if abs(int(exponent or "0")) > 1_000_000:  # Python's decimals have limits, too
        return "refused"
    value = Decimal(text)
    if value.adjusted() >= 18:
        return "refused"
    digits = value.as_tuple().digits
    trailing = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    if value.as_tuple().exponent + trailing < -8:
        return "refused"
    return canonical(value)


def per_hectare(a, b):
    if Decimal(a) == 0 or Decimal(b) == 0:
        return "refused"
    with localcontext() as context:
        context.prec = 200
        unit = Decimal("0.00000001")
        # A quotient cut to 200 digits is a tie only if the exact one is: the divisor has at most 52 digits.
        value = (10000 / (Decimal(a) * Decimal(b))).quantize(unit, ROUND_HALF_EVEN)
        return canonical(value) if abs(value) < Decimal(10) ** 18 else "refused"


def product(a, b):
    with localcontext() as context:
        context.prec = 200
        value = (Decimal(a) * Decimal(b)).quantize(Decimal("0.00000001"), ROUND_HALF_EVEN)
        return canonical(value) if abs(value) < Decimal(10) ** 18 else "refused"


def order(a, b):
    return "<" if Decimal(a) < Decimal(b) else ">" if Decimal(a) > Decimal(b) else "="


ANSWERS = {"parse": parse, "per_hectare": per_hectare, "product": product, "order": order}
for line in sys.stdin:
    question, *values = line.rstrip("\n").split("\t")
    print(ANSWERS[question](*values))
