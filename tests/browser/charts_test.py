"""Charts: what they show is what the API knows, and their tables say the same."""
import datetime
import zoneinfo

import pytest

from conftest import look
from person import Person
from pages import By, Land, button, choose, complaints, find, fragment, open_as, open_page, sees, settled, texts, violations, wait


@pytest.fixture
def land(person):
    land = Land(person)
    land.change(land.path, {"currency": "SAR"})
    land.change(f"/crops/{land.crop['id']}", {"area": 4})
    for day, amount, category in (("2026-01-10", 100, "fuel"), ("2026-01-20", 50, "seeds"), ("2026-03-05", 300, "fuel")):
        land.make(f"{land.path}/expenses", {"amount": amount, "category": category, "transactionDate": day, "cropId": land.crop["id"]})
    land.make(f"{land.path}/overheads", {"amount": 40, "category": "rent", "transactionDate": "2026-02-01", "period": "one_time"})
    land.make(f"/crops/{land.crop['id']}/sales", {"quantity": 100, "unit": "kg", "pricePerUnit": 12, "saleDate": "2026-02-15"})
    land.make("/market/price-reports", {"farmId": land.farm["id"], "cropName": "Date palm", "price": 9000, "unit": "per_ton", "observedOn": "2026-02-20"})
    return land


def rows(browser, label):
    """The chart's figures as its table says them."""
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, f".chart [aria-label='{label}']"))
    return browser.execute_script("return [...document.querySelectorAll(`.chart [aria-label='${arguments[0]}'] tr`)].map(row => [...row.children].map(cell => cell.textContent.replaceAll('\\u00a0', ' ').trim()))", label)


def inked(browser, nth=0):
    """How many colours a chart's canvas has."""
    canvas = wait(browser, lambda: (browser.find_elements(By.CSS_SELECTOR, ".chart canvas") or [None] * (nth + 1))[nth])
    return wait(browser, lambda: browser.execute_script("""const c = arguments[0], d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, found = new Set();
      for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) found.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return found.size""", canvas))


def test_income_and_costs_month_by_month(browser, person, land, axe):
    open_as(browser, person, f"/#{land.path}?tab=money&from=2026-01-15&to=2026-03-31")
    head, *months = rows(browser, "Month by month")
    assert head == ["Month", "Income", "Expenses", "Overheads", "Result"]
    assert [month[1:] for month in months] == [["SAR 0.00", "SAR 50.00", "SAR 0.00", "-SAR 50.00"], ["SAR 1,200.00", "SAR 0.00", "SAR 40.00", "SAR 1,160.00"],
                                               ["SAR 0.00", "SAR 300.00", "SAR 0.00", "-SAR 300.00"]]
    assert inked(browser) > 5
    find(browser, ".chart summary").click()
    sees(browser, "SAR", ".chart table")
    assert violations(browser, axe) == []
    choose(browser, "by", "category")
    wait(browser, lambda: rows(browser, "Month by month")[0] == ["Month", "Fuel", "Seeds", "Rent"])
    assert "by=category" in fragment(browser)
    look(browser, 390, 844, dark=True)
    settled(browser)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth && document.querySelector('.chart canvas').getBoundingClientRect().width < 390")
    assert complaints(browser) == []


def test_an_expense_moves_the_chart(browser, person, land):
    zone = zoneinfo.ZoneInfo(land.read(land.path)["timezone"])  # whose day the form takes
    before = datetime.datetime.now(zone).date()
    open_as(browser, person, f"/#{land.path}?tab=money")
    assert len(rows(browser, "Month by month")) == 13
    button(browser, "New expense").click()
    find(browser, "dialog [name=amount]").send_keys("77")
    button(browser, "Create").click()
    wait(browser, lambda: rows(browser, "Month by month")[-1][2] == "SAR 77.00")
    booked = land.read(f"{land.path}/expenses")[0]["transactionDate"]
    assert before.isoformat() <= booked <= datetime.datetime.now(zone).date().isoformat()


def test_a_crop_and_its_hectare(browser, person, land, axe):
    open_as(browser, person, f"/#{land.path}?tab=money&list=by-crop")
    assert rows(browser, "Income and costs by crop")[1] == ["Date palm", "SAR 1,200.00", "SAR 450.00"]
    sees(browser, "187.50")  # 750 on four hectares
    assert inked(browser, 1) > 2 and violations(browser, axe) == []


def test_prices_of_a_ton_without_a_region_and_a_report_is_added(browser, person, land, axe):
    open_as(browser, person, f"/#{land.path}?tab=money&list=prices")
    head, *days = rows(browser, "Price of a ton")
    assert head == ["Date", "Own sales", "Own reports"] and [day[1:] for day in days] == [["SAR 12,000.00", "–"], ["–", "SAR 9,000.00"]]
    sees(browser, "once five farms")
    assert violations(browser, axe) == []
    button(browser, "New price report").click()
    assert find(browser, "dialog [name=cropName]").get_attribute("value") == "Date palm"
    find(browser, "dialog [name=price]").send_keys("10")
    button(browser, "Create").click()
    wait(browser, lambda: ["–", "SAR 10,000.00"] in [day[1:] for day in rows(browser, "Price of a ton")])
    assert complaints(browser) == []


def test_a_price_is_noted_between_midnight_there_and_midnight_in_utc(browser, person, land):
    open_as(browser, person, f"/#{land.path}?tab=money&list=prices")
    day = browser.execute_script("""const day = new Date().toISOString().slice(0, 10);
      Date.now = () => Date.parse(`${day}T23:30:00Z`);
      return day;""")
    button(browser, "New price report").click()
    assert find(browser, "dialog [name=observedOn]").get_attribute("value") == day


def test_prices_of_the_region_stand_next_to_the_own_ones(browser, tilth, person, land):
    for number in range(5):
        other = Land(Person(tilth))
        other.make("/market/price-reports", {"farmId": other.farm["id"], "cropName": "Date palm", "price": 8 + number, "unit": "per_kg", "currency": "SAR", "observedOn": "2026-02-20"})
    wait(browser, lambda: person.ask("GET", "/api/market/regional-prices?country=SA&cropName=Date%20palm").data)
    open_as(browser, person, f"/#{land.path}?tab=money&list=prices")
    head, *days = rows(browser, "Price of a ton")
    assert head[3:] == ["Region, on average", "Region, lowest", "Region, highest"]
    assert days[0][1] == "SAR 12,000.00" and days[0][4:] == ["SAR 8,000.00", "SAR 12,000.00"]
    assert complaints(browser) == []


def test_a_farm_without_entries_has_no_empty_chart(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?tab=money")
    sees(browser, "Nothing was recorded in these months.")
    open_page(browser, person.service, f"/#{land.path}?tab=money&list=by-crop")
    sees(browser, "No crop has income or costs here")
    open_page(browser, person.service, f"/#{land.path}?tab=money&list=prices")
    sees(browser, "No sale and no price report")
    assert not browser.find_elements(By.CSS_SELECTOR, ".chart")


def test_each_currency_of_a_crop_has_sums_of_its_own(browser, person, land, axe):
    land.make(f"/crops/{land.crop['id']}/sales", {"quantity": 10, "unit": "kg", "pricePerUnit": 3, "currency": "EUR", "saleDate": "2026-02-16"})
    land.make(f"{land.path}/expenses", {"amount": 8, "currency": "EUR", "category": "seeds", "transactionDate": "2026-01-21", "cropId": land.crop["id"]})
    wheat = land.make("/crops", {"farmId": land.farm["id"], "fieldId": land.meadow["id"], "cropType": "Wheat"})
    land.make(f"/crops/{wheat['id']}/sales", {"quantity": 1, "unit": "ton", "pricePerUnit": 250, "currency": "USD", "saleDate": "2026-02-17"})
    open_as(browser, person, f"/#{land.path}?tab=money&list=by-crop")
    sees(browser, "the chart shows those in SAR", "main")
    assert rows(browser, "Income and costs by crop")[1:] == [["Date palm", "SAR 1,200.00", "SAR 450.00"]]
    table = [[cell.replace("\u00a0", " ") for cell in row] for row in texts(browser, "section > [aria-label='Crops'] tbody tr", "th, td")]
    assert sorted(row[0:1] + row[2:5] for row in table) == [["Date palm", "EUR 30.00", "EUR 8.00", "EUR 22.00"], ["Date palm", "SAR 1,200.00", "SAR 450.00", "SAR 750.00"], ["Wheat", "USD 250.00", "USD 0.00", "USD 250.00"]]
    assert violations(browser, axe) == []
    for sale in land.read(f"/crops/{land.crop['id']}/sales"):
        if sale["currency"] == "SAR":
            assert person.ask("DELETE", f"/api/crops/{land.crop['id']}/sales/{sale['id']}").status == 204
    for expense in land.read(f"{land.path}/expenses"):
        if expense["currency"] == "SAR":
            assert person.ask("DELETE", f"/api{land.path}/expenses/{expense['id']}").status == 204
    browser.refresh()
    sees(browser, "the chart shows those in ", "main")
    assert len(texts(browser, "section > [aria-label='Crops'] tbody tr")) == 2
    assert complaints(browser) == []


def test_the_money_of_a_crop_that_came_since_is_its_own(browser, person):
    land = Land(person)
    crop = {"farmId": land.farm["id"], "fieldId": land.field["id"], "status": "growing"}
    wheat = land.make("/crops", {**crop, "cropType": "Wheat"})
    land.make(f"/crops/{land.crop['id']}/sales", {"quantity": 10, "unit": "kg", "pricePerUnit": 3, "currency": "SAR", "saleDate": "2026-02-16"})
    land.make(f"/crops/{wheat['id']}/sales", {"quantity": 1, "unit": "kg", "pricePerUnit": 250, "currency": "SAR", "saleDate": "2026-02-17"})
    open_as(browser, person, f"/#{land.path}?tab=money&list=by-crop&as-of={land.block['createdAt']}")
    sees(browser, "No crop has income or costs here")
    button(browser, "Back to now").click()
    wait(browser, lambda: [row[0] for row in texts(browser, "[aria-label=Crops] tbody tr", "th, td")] == ["Wheat", "Date palm"])
    assert complaints(browser) == []
