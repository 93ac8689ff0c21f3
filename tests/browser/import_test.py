"""Import: files of every kind and quality are mapped, shown, sent, and what failed comes back."""
import csv
import json

import pytest

from conftest import connect
from pages import By, Keys, Land, Select, button, choose, complaints, find, heading, held, hold, hold_file, let_go, open_as, sees, settled, sign_in, violations, visit, wait


def give(browser, tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    find(browser, "input[type=file]").send_keys(str(file))


def pick(browser, name, words):
    Select(find(browser, f"select[name={name}]")).select_by_visible_text(words)


def square(lng, lat, side=0.002):
    return {"type": "Polygon", "coordinates": [[[lng, lat], [lng + side, lat], [lng + side, lat + side, 610.5], [lng, lat + side]]]}


def downloads(browser, tmp_path):
    folder = tmp_path / "downloads"
    folder.mkdir()
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    return folder


def downloaded(browser, folder):
    return wait(browser, lambda: next((file for file in folder.iterdir() if file.suffix in (".csv", ".geojson") and file.stat().st_size), None))


def test_fields_come_from_geojson(browser, person, tmp_path, axe):
    land = Land(person)
    features = [{"type": "Feature", "properties": {"Plot": f"Plot {number}", "Soil": "Sandy loam"}, "geometry": square(39.62 + number / 200, 24.44)} for number in range(3)]
    open_as(browser, person, "/#/import")
    give(browser, tmp_path, "plots.geojson", json.dumps({"type": "FeatureCollection", "features": features}))
    sees(browser, "3 rows")
    find(browser, ".map canvas")
    settled(browser)
    assert find(browser, "[name=map-name]").get_attribute("value") == "Plot"  # guessed, as the area that follows from the boundary
    assert violations(browser, axe) == []
    button(browser, "Import 3 records").click()
    heading(browser, "The import is done")
    assert violations(browser, axe) == []
    made = {field["name"]: field for field in land.read(f"{land.path}/fields")}
    assert made["Plot 2"]["soilType"] == "Sandy loam" and 4 < float(made["Plot 2"]["area"]) < 5
    ring, = made["Plot 0"]["boundaries"]["coordinates"]
    assert len(ring) == 5 and ring[0] == ring[-1]
    assert complaints(browser) == []
    button(browser, "Show them").click()
    sees(browser, "Plot 1", "tbody")


KML = """<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder>
<Placemark><name>North &lt;b&gt;</name><ExtendedData><Data name="soilType"><value>Clay</value></Data></ExtendedData><Polygon><outerBoundaryIs><LinearRing><coordinates>
 39.62,24.44,0 39.63,24.44,0 39.63,24.45,0 39.62,24.45,0 39.62,24.44,0</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>
<Placemark><name>Well</name><Point><coordinates>39.6, 24.4, 0</coordinates></Point></Placemark></Folder></Document></kml>"""


def test_fields_and_plants_come_from_kml(browser, person, tmp_path):
    land = Land(person)
    open_as(browser, person, "/#/import")
    give(browser, tmp_path, "places.kml", KML)
    sees(browser, "1 row has a problem")  # a point has no area
    button(browser, "Import 1 record").click()
    sees(browser, "1 failed")
    sees(browser, "Area is missing")
    assert next(field for field in land.read(f"{land.path}/fields") if field["name"] == "North <b>")["soilType"] == "Clay"
    button(browser, "Another file").click()
    find(browser, "input[type=file]")
    give(browser, tmp_path, "places.kml", KML)
    choose(browser, "what", "plant")
    settled(browser)
    pick(browser, "map-label", "name")
    button(browser, "Import 2 records").click()
    heading(browser, "The import is done")
    plants = {plant["label"]: plant for plant in land.read(f"{land.blocks}/{land.block['id']}/plants")}
    assert plants["Well"]["position"] == {"lat": 24.4, "lng": 39.6}


def test_costs_come_from_a_spreadsheet_and_what_failed_is_handed_back(browser, person, tmp_path):
    land = Land(person)
    land.change(land.path, {"currency": "SAR"})
    folder = downloads(browser, tmp_path)
    open_as(browser, person, "/#/import?what=expense")
    give(browser, tmp_path, "costs.csv", 'Date;Amount;Category;Remarks;Crop\n1.3.2026;"1 240,50";Fuel;"=HYPERLINK(""http://x"")";date palm\n2026-03-02;plenty;fuel;"two\nlines";\n2026-03-03;٣٫٥;Seeds;;\n')
    sees(browser, "3 rows")
    settled(browser)
    pick(browser, "map-note", "Remarks")
    button(browser, "Import 3 records").click()
    heading(browser, "The import is done")
    sees(browser, "1 failed")
    made = {expense["transactionDate"]: expense for expense in land.read(f"{land.path}/expenses")}
    assert {day: (each["amount"], each["category"], each["cropId"]) for day, each in made.items()} == {
        "2026-03-01": ("1240.5", "fuel", land.crop["id"]), "2026-03-03": ("3.5", "seeds", None)}
    button(browser, "Download what failed").click()
    with downloaded(browser, folder).open(encoding="utf-8-sig", newline="") as file:
        row, = csv.DictReader(file)
    assert (row["Amount"], row["Remarks"]) == ("plenty", "two\nlines") and "amount" in row["problem"]
    assert complaints(browser) == []


def test_another_encoding_is_chosen(browser, person, tmp_path):
    Land(person)
    open_as(browser, person, "/#/import?what=task")
    give(browser, tmp_path, "tasks.csv", "title,due\nتنظيف المرشحات,2030-05-01\n".encode("windows-1256"))
    sees(browser, "The file is not UTF-8.")
    pick(browser, "encoding", "windows-1256")
    sees(browser, "تنظيف المرشحات", "tbody")
    button(browser, "Import 1 record").click()
    heading(browser, "The import is done")
    task, = person.ask("GET", "/api/tasks").data
    assert (task["title"], task["dueDate"]) == ("تنظيف المرشحات", "2030-04-30T21:00:00.000Z")  # midnight in Riyadh


@pytest.mark.parametrize("name, content, says", [
    ("empty.csv", b"", "This file is empty."),
    ("head.csv", b"name,area\n\n", "no row below its heading"),
    ("broken.geojson", b'{"type": "FeatureCollection", "features": [', "not valid JSON"),
    ("other.json", b'{"a": 1}', "it has no features"),
    ("none.geojson", b'{"type": "FeatureCollection", "features": []}', "This GeoJSON has no features."),
    ("broken.kml", b"<kml><Placemark></kml>", "not valid XML"),
    ("bomb.kml", b'<?xml version="1.0"?><!DOCTYPE k [<!ENTITY a "aaaaaaaaaa">' + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%s;" % (str(n - 1).encode() if n > 1 else b"") * 10) for n in range(1, 12)) + b"]><kml>&a11;</kml>", "XML"),
    ("packed.kmz", b"PK\x03\x04rest", "packed file"),
    ("picture.csv", b"\x89PNG\x00\x00\x00\r\n", "not a text file"),
    ("open.csv", b'title,due\nPrune,2026-03-01\n"Water,2026-03-02\nSpray,2026-03-03\nRest,2026-03-04\n', "quotation marks in row 3"),
    ("long.csv", b"name\n" + b"x\n" * 10_001, "10001 rows"),
    ("wide.csv", b",".join(b"c%d" % n for n in range(300)) + b"\n" + b",".join(b"1" for n in range(300)), "300 columns"),
    ("huge.csv", b"x" * 25_000_001, "MB"),
])
def test_a_file_that_cannot_be_read_says_why(browser, person, tmp_path, name, content, says):
    Land(person)
    open_as(browser, person, "/#/import")
    give(browser, tmp_path, name, content)
    sees(browser, says, ".notice.bad")
    find(browser, "input[type=file]")


def test_hostile_cells_stay_text(browser, person, tmp_path):
    hostile = "<img src=x onerror=alert(1)>\u202e"
    Land(person)
    open_as(browser, person, "/#/import?what=task")
    give(browser, tmp_path, "__proto__.csv", f'"{hostile}",__proto__,constructor,{"W" * 300}\n"{hostile}",1,2,{"W" * 300}\n')
    sees(browser, "1 row")
    pick(browser, "map-title", hostile.replace("\u202e", "U+202E"))
    sees(browser, "<img src=x", "tbody")
    button(browser, "Import 1 record").click()
    heading(browser, "The import is done")
    assert not browser.find_elements(By.CSS_SELECTOR, "img[src=x]")
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert person.ask("GET", "/api/tasks").data[0]["title"] == hostile and complaints(browser) == []


def test_ten_thousand_rows_are_shown_at_once_and_an_import_goes_on_after_a_stop(browser, person, tmp_path):
    land = Land(person)
    open_as(browser, person, "/#/import?what=plant")
    browser.execute_script("window.longest = 0; new PerformanceObserver(list => { for (const each of list.getEntries()) longest = Math.max(longest, each.duration); }).observe({entryTypes: ['longtask']})")
    give(browser, tmp_path, "plants.csv", "label,lat,lng\n" + "".join(f"R{number},24.4{number:05},39.61\n" for number in range(10_000)))
    sees(browser, "10,000 rows")
    sees(browser, "Import 10,000 records")
    assert len(browser.find_elements(By.CSS_SELECTOR, "tbody tr")) == 10
    assert browser.execute_script("return longest") < 3_000
    connect(browser, latency=200)
    button(browser, "Import 10,000 records").click()
    wait(browser, lambda: int(find(browser, "[role=meter]").get_attribute("aria-valuenow")) >= 200)
    button(browser, "Stop").click()
    heading(browser, "The import has stopped")
    there = int(find(browser, "[role=meter]").get_attribute("aria-valuenow"))
    button(browser, "Go on").click()
    wait(browser, lambda: int(find(browser, "[role=meter]").get_attribute("aria-valuenow")) >= there + 200)
    button(browser, "Stop").click()
    heading(browser, "The import has stopped")
    connect(browser)
    button(browser, "Go on").click()
    heading(browser, "The import is done")
    labels = [plant["label"] for plant in person.ask("GET", f"/api{land.blocks}/{land.block['id']}/plants").data]
    assert len(labels) == 10_002 and set(labels) == {f"R{number}" for number in range(10_000)} | {"P0", "P1"}


def test_the_block_that_the_address_names_is_the_one_that_gets_the_plants(browser, person, tmp_path):
    land = Land(person)
    made = person.ask("POST", "/api/batch", {"requests": [{"method": "POST", "path": f"/v1{land.blocks}", "body": {"cropId": land.crop["id"], "name": f"Rows {at:03}"}} for at in range(105)]})
    assert made.status == 200 and made.json["meta"]["failed"] == 0, made
    place = f"farm={land.farm['id']}&field={land.field['id']}"
    for block in (land.block, made.json["data"][-1]["body"]["data"]):
        open_as(browser, person, f"/#/import?what=plant&{place}&block={block['id']}")
        give(browser, tmp_path, "plants.csv", "label,lat,lng\nQ1,24.4315,39.6115\n")
        wait(browser, lambda: find(browser, "select[name=block]").get_attribute("value") == block["id"])
    open_as(browser, person, f"/#/import?what=plant&{place}&block={land.farm['id']}")
    give(browser, tmp_path, "plants.csv", "label,lat,lng\nQ1,24.4315,39.6115\n")
    sees(browser, "is not there any more", ".notice")
    assert find(browser, "select[name=block]").get_attribute("value") == ""
    assert not browser.find_elements(By.XPATH, "//button[starts-with(normalize-space(), 'Import ')]")
    choose(browser, "block", land.block["id"])
    button(browser, "Import 1 record")
    open_as(browser, person, f"/#/import?what=field&farm={land.block['id']}")
    give(browser, tmp_path, "fields.csv", "name,area\nNorth,2\n")
    sees(browser, "is not there any more", ".notice")
    choose(browser, "farm", land.farm["id"])
    button(browser, "Import 1 record")


def titles_of(person):
    pages = person.ask("GET", "/api/tasks?limit=100").json["pagination"]["totalPages"]
    return sorted(task["title"] for page in range(1, pages + 1) for task in person.ask("GET", f"/api/tasks?limit=100&page={page}").data)


def test_one_bad_row_of_a_batch_stops_no_other(browser, person, tmp_path):
    Land(person)
    open_as(browser, person, "/#/import?what=task")
    rows = [f"Task {number:03}" for number in range(130)]
    rows[7], rows[50], rows[120] = "W" * 300, "{$farm}", "W" * 301
    give(browser, tmp_path, "tasks.csv", "title\n" + "\n".join(rows) + "\n")
    settled(browser)
    requests = "return performance.getEntriesByType('resource').filter(each => each.name.includes('/api/batch')).length"
    button(browser, "Import 130 records").click()
    heading(browser, "The import is done")
    sees(browser, "128 imported")
    sees(browser, "2 failed")
    assert sorted(row.text for row in browser.find_elements(By.CSS_SELECTOR, "main table tbody th")) == ["122", "9"]
    assert titles_of(person) == sorted(row for row in rows if len(row) < 300)
    assert browser.execute_script(requests) == 2


def test_a_network_that_is_gone_for_a_while_loses_and_doubles_nothing(browser, person, tmp_path):
    Land(person)
    open_as(browser, person, "/#/import?what=task")
    give(browser, tmp_path, "tasks.csv", "title\n" + "".join(f"Task {number:03}\n" for number in range(950)))
    settled(browser)
    button(browser, "Import 950 records")
    connect(browser, latency=200)
    button(browser, "Import 950 records").click()
    wait(browser, lambda: int(find(browser, "[role=meter]").get_attribute("aria-valuenow")) >= 100)
    connect(browser, offline=True)
    sees(browser, "Importing Tasks")
    connect(browser)
    heading(browser, "The import is done")
    assert titles_of(person) == [f"Task {number:03}" for number in range(950)]


def test_an_import_goes_on_after_the_session_ended_and_after_another_page(browser, person, tmp_path):
    Land(person)
    open_as(browser, person, "/#/import?what=task")
    give(browser, tmp_path, "tasks.csv", "title\n" + "".join(f"Task {number:03}\n" for number in range(950)))
    settled(browser)
    hold(browser, "/api/batch", after=3)
    button(browser, "Import 950 records").click()
    wait(browser, lambda: find(browser, "[role=meter]").get_attribute("aria-valuenow") == "300")
    browser.delete_all_cookies()
    let_go(browser)
    sign_in(browser, person)
    heading(browser, "The import has stopped")
    visit(browser, "#/farms")
    visit(browser, "#/import")
    heading(browser, "The import has stopped")
    button(browser, "Go on").click()
    heading(browser, "The import is done")
    person.signed_in()
    assert titles_of(person) == [f"Task {number:03}" for number in range(950)]


def test_a_file_is_chosen_and_sent_by_keyboard_alone(browser, person, tmp_path):
    Land(person)
    open_as(browser, person, "/#/import?what=task")
    chooser = button(browser, "Choose a file")
    chooser.send_keys(Keys.TAB)
    browser.execute_script("window.opened = 0; document.querySelector('input[type=file]').addEventListener('click', event => { event.preventDefault(); ++opened; })")
    chooser.send_keys(Keys.ENTER)
    assert browser.execute_script("return opened") == 1
    give(browser, tmp_path, "tasks.csv", "title\nWater\n")
    button(browser, "Import 1 record").send_keys(Keys.ENTER)
    heading(browser, "The import is done")
    wait(browser, lambda: browser.switch_to.active_element.tag_name == "h2")


def test_a_file_is_dropped_on_the_page(browser, person):
    Land(person)
    open_as(browser, person, "/#/import?what=task")
    find(browser, ".drop")
    browser.execute_script("""const data = new DataTransfer();
      data.items.add(new File(["title\\nWater\\n"], "tasks.csv"));
      for (const type of ["dragover", "drop"]) document.querySelector(".drop").dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));""")
    sees(browser, "tasks.csv", "main h2")
    sees(browser, "Water", "tbody")


def bring(browser, words):
    """Imports what the preview shows, once the names of records are there that it waits for."""
    button(browser, words)
    settled(browser)
    button(browser, words).click()
    heading(browser, "The import is done")


PARTS = [[[[39.62, 24.44], [39.63, 24.44], [39.63, 24.45], [39.62, 24.44]]], [[[39.72, 24.44], [39.73, 24.44], [39.73, 24.45], [39.72, 24.44]]]]


def kml_polygon(rings):
    return f"<Polygon><outerBoundaryIs><LinearRing><coordinates>{' '.join(f'{lng},{lat},0' for lng, lat in rings[0])}</coordinates></LinearRing></outerBoundaryIs></Polygon>"


def test_a_geometry_that_no_field_can_have_is_a_problem_of_its_row(browser, person, tmp_path):
    land = Land(person)
    folder = downloads(browser, tmp_path)
    polygon = {"type": "Polygon", "coordinates": PARTS[0]}
    given = {"Two parts": {"type": "MultiPolygon", "coordinates": PARTS}, "One part": {"type": "MultiPolygon", "coordinates": PARTS[:1]},
             "Collected": {"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [39.62, 24.44]}, polygon]},
             "Both": {"type": "GeometryCollection", "geometries": [polygon, {"type": "Polygon", "coordinates": PARTS[1]}]},
             "Well": {"type": "Point", "coordinates": [39.62, 24.44]}, "Path": {"type": "LineString", "coordinates": PARTS[0][0]},
             "Broken": {"type": "Polygon", "coordinates": [[[39.62, 24.44]]]}, "Bare": None}
    features = [{"type": "Feature", "properties": {"name": name, "area": 3}, "geometry": geometry} for name, geometry in given.items()]
    open_as(browser, person, "/#/import")
    give(browser, tmp_path, "parts.geojson", json.dumps({"type": "FeatureCollection", "features": features}))
    sees(browser, "5 rows have a problem")
    problems = [cells(browser, number)[-1] for number in range(1, 9)]
    assert problems[0] == problems[3] == "The boundary has 2 parts; a field or block has one."
    assert problems[4] == "A boundary is a polygon; this is of the type Point." and problems[5].endswith("of the type LineString.")
    assert problems[6] == "The geometry cannot be read." and [problems[at] for at in (1, 2, 7)] == ["–"] * 3
    bring(browser, "Import 3 records")
    made = {field["name"]: field["boundaries"] for field in land.read(f"{land.path}/fields")}
    assert {name: made[name] and made[name]["coordinates"] for name in made.keys() & given.keys()} == {"One part": PARTS[0], "Collected": PARTS[0], "Bare": None}
    button(browser, "Download what failed").click()
    failed = json.loads(downloaded(browser, folder).read_text("utf-8"))["features"]
    assert {each["properties"]["name"]: each["geometry"] for each in failed if each["properties"]["name"] != "Both"} == {
        name: given[name] for name in ("Two parts", "Well", "Path", "Broken")}
    button(browser, "Another file").click()
    places = [f"<Placemark><name>{name}</name>{geometry}</Placemark>" for name, geometry in [
        ("Two parts", f"<MultiGeometry>{''.join(map(kml_polygon, PARTS))}</MultiGeometry>"), ("One part", f"<MultiGeometry>{kml_polygon(PARTS[0])}</MultiGeometry>")]]
    give(browser, tmp_path, "parts.kml", f'<kml xmlns="http://www.opengis.net/kml/2.2"><Document>{"".join(places)}</Document></kml>')
    sees(browser, "1 row has a problem")
    assert [cells(browser, number)[-1] for number in (1, 2)] == [problems[0], "–"] and complaints(browser) == []


def test_a_name_of_no_record_or_of_several_is_a_problem_of_its_row(browser, person, tmp_path):
    land = Land(person)
    for _ in range(2):
        wheat = land.make("/crops", {"farmId": land.farm["id"], "fieldId": land.meadow["id"], "cropType": "Wheat", "status": "growing"})
    open_as(browser, person, "/#/import?what=expense")
    give(browser, tmp_path, "costs.csv", f"amount,crop\n1,date palm\n2,Wheat\n3,Nope\n4,{wheat['id']}\n5,{land.farm['id']}\n")
    sees(browser, "3 rows have a problem")
    assert [cells(browser, number)[-1] for number in range(1, 6)] == [
        "–", "There are 2 crops called Wheat.", "There is no crop Nope.", "–", f"There is no crop {land.farm['id']}."]
    bring(browser, "Import 2 records")
    assert {each["amount"]: each["cropId"] for each in land.read(f"{land.path}/expenses")} == {"1": land.crop["id"], "4": wheat["id"]}


def test_figures_and_times_are_read_as_people_write_them(browser, person, tmp_path):
    land = Land(person)
    land.change(land.path, {"timezone": "America/New_York"})
    open_as(browser, person, "/#/import?what=expense")
    give(browser, tmp_path, "costs.csv", 'date;amount\n١.٣.٢٠٢٦;1.234,56\n٢٠٢٦-٠٣-٠٢;"1,234,567.5"\n۲۰۲۶/۳/۳;1.234.567\n')
    bring(browser, "Import 3 records")
    sees(browser, "3 imported")
    assert {each["transactionDate"]: each["amount"] for each in land.read(f"{land.path}/expenses")} == {
        "2026-03-01": "1234.56", "2026-03-02": "1234567.5", "2026-03-03": "1234567"}
    button(browser, "Another file").click()
    give(browser, tmp_path, "tasks.csv", "title,due\nSeconds,2026-12-01 10:00:59\nGap,2026-03-08 02:30\nTwice,2026-11-01 01:30\nArabic,٢٠٢٦-٠٣-٠١ ١٠:٠٠\n")
    pick(browser, "what", "Tasks")
    sees(browser, "10:00:59", "[aria-label='How it will be']")
    bring(browser, "Import 4 records")
    assert {task["title"]: task["dueDate"] for task in land.read("/tasks")} == {"Seconds": "2026-12-01T15:00:59.000Z", "Gap": "2026-03-08T07:30:00.000Z",
        "Twice": "2026-11-01T05:30:00.000Z", "Arabic": "2026-03-01T15:00:00.000Z"}


def test_what_failed_comes_back_without_the_guard_against_formulas(browser, person, tmp_path):
    land = Land(person)
    folder = downloads(browser, tmp_path)
    notes = ["=1+1", "@here", "- dash", "'=quoted", "\ttab", "'plain'", "-5", "-2+3+cmd|' /C calc'!A0", "-1.5e3"]
    open_as(browser, person, "/#/import?what=expense")
    with (tmp_path / "costs.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["amount", "note"], *(["plenty", "''=quoted" if note == "'=quoted" else note] for note in notes)])
    find(browser, "input[type=file]").send_keys(str(tmp_path / "costs.csv"))
    bring(browser, "Import 9 records")
    button(browser, "Download what failed").click()
    written = downloaded(browser, folder).read_text("utf-8-sig")
    assert all(each in written for each in ("'=1+1", "'- dash", "'-2+3+cmd", ",-5,", ",-1.5e3,"))
    button(browser, "Another file").click()
    give(browser, tmp_path, "corrected.csv", written.replace("plenty", "7"))
    bring(browser, "Import 9 records")
    sees(browser, "9 imported")
    assert sorted(each["note"] for each in land.read(f"{land.path}/expenses")) == sorted(note.strip() for note in notes)


def test_without_a_farm_import_says_what_to_do_first(browser, person):
    person.signed_in()
    open_as(browser, person, "/#/import")
    button(browser, "Add your first farm").click()
    heading(browser, "New farm")


def cells(browser, number):
    """What the preview shows of a row."""
    return wait(browser, lambda: [each.text for each in browser.find_elements(By.CSS_SELECTOR, f"[aria-label='How it will be'] tbody tr:nth-child({number}) td")])


def test_a_time_that_is_none_and_a_figure_of_two_meanings_are_handed_back(browser, person, tmp_path):
    land = Land(person)
    folder = downloads(browser, tmp_path)
    open_as(browser, person, "/#/import?what=task")
    give(browser, tmp_path, "tasks.csv", "title,due\nPrune,2026-03-01 10:00\nWater,2026-03-01 25:00\nSpray,2026-02-31\nRest,2026-02-31 08:00\n")
    sees(browser, "4 rows")
    settled(browser)
    assert all(part in cells(browser, 1)[1] for part in ("2026", "10:00", "Asia/Riyadh"))
    assert [cells(browser, number)[1] for number in (2, 3, 4)] == ["2026-03-01 25:00", "2026-02-31", "2026-02-31 08:00"]
    button(browser, "Import 4 records").click()
    heading(browser, "The import is done")
    sees(browser, "3 failed")
    task, = land.read("/tasks")
    assert (task["title"], task["dueDate"]) == ("Prune", "2026-03-01T07:00:00.000Z")
    button(browser, "Another file").click()
    give(browser, tmp_path, "costs.csv", 'amount;date;note\n1,200;2026-03-01;Seeds\n1200,50;2026-03-02;Fuel\n0,125;2026-03-03;String\n')
    pick(browser, "what", "Expenses")
    button(browser, "Import 3 records").click()
    heading(browser, "The import is done")
    sees(browser, "1 failed")
    assert sorted(each["amount"] for each in land.read(f"{land.path}/expenses")) == ["0.125", "1200.5"]
    button(browser, "Download what failed").click()
    assert "1,200" in downloaded(browser, folder).read_text("utf-8-sig") and complaints(browser) == []


def test_a_file_that_is_read_late_leaves_the_one_chosen_since(browser, person, tmp_path):
    Land(person)
    open_as(browser, person, "/#/import")
    hold_file(browser, "slow.csv")
    give(browser, tmp_path, "slow.csv", "name,area\nSlow,1\n")
    held(browser)
    visit(browser, "#/tasks")
    visit(browser, "#/import")
    give(browser, tmp_path, "quick.csv", "name,area\nQuick,2\n")
    heading(browser, "quick.csv")
    let_go(browser)
    visit(browser, "#/tasks")
    visit(browser, "#/import")
    heading(browser, "quick.csv")


def test_a_file_that_is_read_again_late_leaves_the_import_under_way(browser, person, tmp_path):
    land = Land(person)
    open_as(browser, person, "/#/import")
    give(browser, tmp_path, "plots.csv", "name,area\nNorth,1\n")
    heading(browser, "plots.csv")
    hold_file(browser, "plots.csv")
    pick(browser, "encoding", "windows-1252")
    held(browser)
    visit(browser, "#/tasks")
    visit(browser, "#/import")
    button(browser, "Import 1 record").click()
    heading(browser, "The import is done")
    let_go(browser)
    visit(browser, "#/tasks")
    visit(browser, "#/import")
    heading(browser, "The import is done")
    assert len(land.read(f"{land.path}/fields")) == 3
