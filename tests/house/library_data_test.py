"""The files of library/ parse and are as large as we say, and every figure is plausible and has a source."""
import json
import pathlib

import pytest

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "library"

CATEGORIES = {
    "beverage", "cereal", "fibre", "forage", "fruit", "fruit_vegetable", "herb_spice", "industrial",
    "leafy_vegetable", "legume", "nut", "oilseed", "root_tuber", "sugar", "vegetable",
}
LIFECYCLES = {"annual", "biennial", "perennial"}
TASK_CATEGORIES = {
    "planting", "irrigation", "fertilization", "pest_control", "harvesting", "soil_management", "maintenance",
    "planning", "inspection", "other",
}
PRIORITIES = {"low", "medium", "high", "urgent"}

# The minimum and the maximum of a figure, in its own unit.
FIGURES = {
    "daysToMaturity": (20, 1000),
    "spacingX": (0.05, 20),
    "spacingY": (0.01, 20),
    "plantDensity": (20, 1_000_000),
    "yieldPerHectare": None,
    "soilPhMin": (0, 14),
    "soilPhMax": (0, 14),
    "temperatureMinC": (-10, 50),
    "temperatureMaxC": (-10, 55),
    "waterRequirementMm": (100, 3000),
    "kcInitial": (0.1, 1.3),
    "kcMid": (0.1, 1.3),
    "kcEnd": (0.1, 1.3),
    "ky": (0.5, 1.5),
    "bushelWeightKg": (5, 35),
}
CROP_MEMBERS = {"name", "scientificName", "category", "lifecycle", *FIGURES, "isVerified", "isActive", "sources",
                "varieties"}
VARIETY_FIGURES = {"daysToMaturity", "spacingX", "spacingY", "plantDensity", "yieldOverride", "climateOverride"}
VARIETY_MEMBERS = {"varietyName", "scientificName", "description", *VARIETY_FIGURES}
TEMPLATE_MEMBERS = {"name", "category", "priority", "description", "estimatedDuration", "defaultAssignee"}


def read(name):
    def without_repeats(pairs):
        members = dict(pairs)
        assert len(members) == len(pairs), f"a member occurs twice: {[key for key, _ in pairs]}"
        return members

    return json.loads((LIBRARY / name).read_text(encoding="utf-8"), object_pairs_hook=without_repeats)


CROPS = read("crops.json")["crops"]
TEMPLATES = read("templates.json")["templates"]
each_crop = pytest.mark.parametrize("crop", CROPS, ids=lambda crop: crop["name"])
each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template["name"])


def sourced(crop):
    return [member for members in crop["sources"] for member in members.split(", ")]


def assert_between(figure, least, most):
    assert isinstance(figure, (int, float)) and not isinstance(figure, bool)
    assert least <= figure <= most


def assert_yield(figure):
    assert list(figure) == ["low", "typical", "high", "unit"]
    assert 0 < figure["low"] <= figure["typical"] <= figure["high"] <= 200
    assert figure["unit"] == "ton"


def assert_density_follows_spacings(row):
    spacings, density = (row.get("spacingX"), row.get("spacingY")), row.get("plantDensity")
    if None in spacings:
        assert density is None
        return
    computed = 10_000 / (spacings[0] * spacings[1])
    if computed > 1_000_000:
        assert density is None
    else:
        assert computed / 1.05 <= density <= computed * 1.05


def assert_in_order_and_unique(names):
    folded = [name.casefold() for name in names]
    assert len(set(folded)) == len(folded)
    assert folded == sorted(folded)
    assert all(name == name.strip() and 0 < len(name) <= 100 for name in names)


def test_it_is_as_large_as_promised():
    assert len(CROPS) >= 64
    assert sum(len(crop["varieties"]) for crop in CROPS) >= 210
    assert len(TEMPLATES) >= 24


def test_crops_have_names_of_their_own_in_order():
    assert_in_order_and_unique([crop["name"] for crop in CROPS])


def test_every_category_is_used():
    assert {crop["category"] for crop in CROPS} == CATEGORIES


@each_crop
def test_a_crop_has_all_its_members(crop):
    assert set(crop) == CROP_MEMBERS
    assert crop["category"] in CATEGORIES
    assert crop["lifecycle"] in LIFECYCLES
    assert crop["isVerified"] is True and crop["isActive"] is True
    assert crop["scientificName"].strip()


@each_crop
def test_its_figures_are_sane(crop):
    for member, bounds in FIGURES.items():
        if bounds and crop[member] is not None:
            assert_between(crop[member], *bounds)
    if crop["yieldPerHectare"] is not None:
        assert_yield(crop["yieldPerHectare"])
    for least, most in [("soilPhMin", "soilPhMax"), ("temperatureMinC", "temperatureMaxC")]:
        assert (crop[least] is None) == (crop[most] is None)
        assert crop[least] is None or crop[least] < crop[most]
    assert len({crop[kc] is None for kc in ("kcInitial", "kcMid", "kcEnd")}) == 1
    assert_density_follows_spacings(crop)


@each_crop
def test_every_figure_has_one_source_and_every_source_a_figure(crop):
    figures = {member for member in FIGURES if crop[member] is not None}
    if any(VARIETY_FIGURES & set(variety) for variety in crop["varieties"]):
        figures.add("varieties")
    assert sorted(sourced(crop)) == sorted(figures)
    assert all(source.strip() for source in crop["sources"].values())


@each_crop
def test_its_varieties_are_whole(crop):
    assert_in_order_and_unique([variety["varietyName"] for variety in crop["varieties"]])
    for variety in crop["varieties"]:
        assert {"varietyName", "description"} <= set(variety) <= VARIETY_MEMBERS
        assert variety["description"].endswith(".") and len(variety["description"]) <= 300
        for member in ("daysToMaturity", "spacingX", "spacingY", "plantDensity"):
            if variety.get(member) is not None:
                assert_between(variety[member], *FIGURES[member])
        if variety.get("yieldOverride") is not None:
            assert_yield(variety["yieldOverride"])
        if variety.get("climateOverride") is not None:
            assert list(variety["climateOverride"]) == ["temperatureMinC", "temperatureMaxC"]
        assert_density_follows_spacings(variety)


def test_templates_have_names_of_their_own_in_order():
    assert_in_order_and_unique([template["name"] for template in TEMPLATES])


def test_every_task_category_and_priority_has_a_template():
    assert {template["category"] for template in TEMPLATES} == TASK_CATEGORIES
    assert {template["priority"] for template in TEMPLATES} == PRIORITIES


@each_template
def test_a_template_keeps_the_lengths(template):
    assert set(template) == TEMPLATE_MEMBERS
    assert len(template["name"]) <= 200
    assert 0 < len(template["description"]) <= 2000
    assert 0 < len(template["estimatedDuration"]) <= 100
