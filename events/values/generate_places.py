#!/usr/bin/env python3
"""Writes the installed ISO 3166-1 and ISO 4217 as sorted C++ tables: iso-codes' JSON folder, output."""
import json
import pathlib
import sys

source, output = map(pathlib.Path, sys.argv[1:])


def entries(file, key):
    return json.loads((source / file).read_text(encoding="utf-8"))[key]


def literal(text):
    # One literal per byte sequence: an octal escape never runs into what follows it.
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}"
                         for b in text.encode("utf-8")) + '"'


countries = sorted((entry.get("common_name", entry["name"]), entry["alpha_2"], entry)
                   for entry in entries("iso_3166-1.json", "3166-1"))
spellings = {}
for index, (_, alpha_2, entry) in enumerate(countries):
    for kind in "name", "common_name", "official_name", "alpha_2", "alpha_3":
        if kind in entry:
            folded = entry[kind].casefold()
            if spellings.setdefault(folded, index) != index:
                sys.exit(f"iso-codes gives {folded!r} to two countries")
currencies = sorted(entry["alpha_3"] for entry in entries("iso_4217.json", "4217"))

lines = [
    "// Generated from iso-codes by generate_places.py.",
    "#pragma once",
    "#include <array>",
    "#include <cstdint>",
    "#include <string_view>",
    "namespace tilth::iso {",
    "struct CountryRow { std::string_view name; std::string_view alpha_2; };",
    f"inline constexpr std::array<CountryRow, {len(countries)}> kCountries = {{{{",
    *(f"{{{literal(name)}, {literal(alpha_2)}}}," for name, alpha_2, _ in countries),
    "}};",
    "// Every name and code of a country, case-folded, in the order of its bytes.",
    "struct Spelling { std::string_view folded; std::uint16_t country; };",
    f"inline constexpr std::array<Spelling, {len(spellings)}> kSpellings = {{{{",
    *(f"{{{literal(folded)}, {spellings[folded]}}},"
      for folded in sorted(spellings, key=lambda text: text.encode("utf-8"))),
    "}};",
    f"inline constexpr std::array<std::string_view, {len(currencies)}> kCurrencies = {{{{",
    *(f"{literal(code)}," for code in currencies),
    "}};",
    "}  // namespace tilth::iso",
]
output.parent.mkdir(parents=True, exist_ok=True)
output.write_text("\n".join(lines) + "\n", encoding="utf-8")
