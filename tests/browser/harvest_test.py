"""Harvests against predictions, what is used of this hour, and a farm from change to change."""
from farm_test import instant
from pages import Client, Land, button, complaints, find, fragment, gone, open_as, sees, violations, wait


def test_a_harvest_is_compared_with_what_was_expected(browser, person, axe):
    land = Land(person)
    crop = f"/crops/{land.crop['id']}"
    land.change(crop, {"area": "2", "expectedYield": "10", "yieldUnit": "ton"})
    open_as(browser, person, f"/#{land.path}?tab=money&list=harvest")
    sees(browser, "10 ton", "[aria-label=Harvests]")
    find(browser, "figure .uplot")
    assert violations(browser, axe) == []
    land.change(crop, {"actualYield": "8", "actualHarvestDate": instant(days=0)[:10], "status": "harvested"})
    browser.refresh()
    sees(browser, "8 ton", "[aria-label=Harvests]")
    sees(browser, "-20%", "[aria-label=Harvests]")
    assert complaints(browser) == []


def test_without_crops_harvest_says_what_it_needs(browser, person):
    person.signed_in()
    farm = person.ask("POST", "/api/farms", {"name": "Bare", "totalArea": 1}).data
    open_as(browser, person, f"/#/farms/{farm['id']}?tab=money&list=harvest")
    sees(browser, "No harvest is known or expected yet")


def test_requests_of_this_hour_are_shown_against_the_limit(browser, tilth, person):
    person.signed_in()
    client = Client(tilth.address, f"Bearer {person.mint()['key']}")
    for _ in range(3):
        client.get("/farms")
    open_as(browser, person, "/#/usage")
    sees(browser, "API requests this hour")
    meter = find(browser, "[role=meter][aria-label='API requests this hour']")
    assert meter.get_attribute("aria-valuemax") == "1000" and int(meter.get_attribute("aria-valuenow")) in (0, 1, 2, 3)  # the hour may turn meanwhile


def test_a_farm_is_walked_through_from_change_to_change(browser, person, axe):
    land = Land(person)
    field = f"{land.path}/fields/{land.field['id']}"
    land.change(field, {"name": "Renamed"})
    open_as(browser, person, f"/#{land.path}?tab=fields")
    sees(browser, "Renamed", "tbody")  # so that the next change is at a later instant, which has a place of its own
    land.change(field, {"name": "Renamed again"})
    browser.refresh()
    sees(browser, "Renamed again", "tbody")
    button(browser, "Earlier change").click()
    wait(browser, lambda: "as-of=" in fragment(browser) and "Renamed again" not in find(browser, "tbody").text)
    sees(browser, "Renamed", "tbody")
    sees(browser, "Field amended", ".as-of .change")
    assert violations(browser, axe) == []
    button(browser, "Earlier change").click()
    sees(browser, "Grove", "tbody")
    button(browser, "Later change").click()
    sees(browser, "Renamed", "tbody")
    button(browser, "Later change").click()
    gone(browser, ".as-of.past")
    sees(browser, "Renamed again", "tbody")
    assert complaints(browser) == []


def test_a_harvest_that_is_still_to_come_has_no_prediction_of_the_day_before(browser, person):
    land = Land(person)
    land.change(f"/crops/{land.crop['id']}", {"actualYield": "8", "yieldUnit": "ton", "actualHarvestDate": instant(days=9)[:10], "status": "harvested"})
    open_as(browser, person, f"/#{land.path}?tab=money&list=harvest")
    sees(browser, "8 ton", "[aria-label=Harvests]")
