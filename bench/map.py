#!/usr/bin/env python3
"""Measures a farm's map with 100,000 plants in Chromium, of an account with 50 farms and 6,000 tasks.

Usage: TILTH_BINARY=build/release/tilth $(tests/tools.sh python browser selenium==4.51.0 pytest==8.4.2) bench/map.py
"""
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "http")]  # each has a conftest: the first is meant
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402

from conftest import chromium, look  # noqa: E402
from pages import Land, find, open_as, sees, visit, wait  # noqa: E402
from person import Person  # noqa: E402
from service import VAST, Farmer, Service  # noqa: E402

FARMS, TASKS, BLOCKS, PLANTS = 50, 6_000, 20, 100_000
ACROSS, STEP = 500, 4.5e-5  # plants in a row, and degrees between two: some five meters

# Notes each task of the page's thread above 50 ms, and the time between frames.
WATCH = """
window.tasks = [];
new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(each => each.duration))).observe({type: "longtask", buffered: true});
window.frames_ = [];
let last = 0;
const frame = now => { if (last) window.frames_.push(now - last); last = now; requestAnimationFrame(frame); };
requestAnimationFrame(frame);
"""


def batch(robot, requests):
    for at in range(0, len(requests), 1_000):
        reply = robot.post("/batch", {"requests": requests[at:at + 1_000]})
        assert reply.status == 200, reply


def fill(person):
    """Farms and tasks, and one field whose blocks lie side by side, full of plants."""
    land, robot = Land(person), Farmer(person.service, person.id)  # a session may ask for less than a key
    batch(robot, [{"method": "POST", "path": "/v1/farms", "body": {"name": f"Farm {number}", "totalArea": 12}} for number in range(1, FARMS)])
    batch(robot, [{"method": "POST", "path": "/v1/tasks", "body": {"farmId": land.farm["id"], "title": f"Task {number}", "category": "inspection"}} for number in range(TASKS)])
    field = land.make(f"{land.path}/fields", {"name": "Large", "area": 250})
    crop = land.make("/crops", {"farmId": land.farm["id"], "fieldId": field["id"], "cropType": "Date palm", "status": "growing"})
    rows, of_block = PLANTS // ACROSS, PLANTS // BLOCKS
    for number in range(BLOCKS):
        block = land.make(f"{land.path}/fields/{field['id']}/blocks", {"cropId": crop["id"], "name": f"Block {number}"})
        path = f"/v1{land.path}/fields/{field['id']}/blocks/{block['id']}/plants"
        places = [divmod(at, ACROSS) for at in range(number * of_block, (number + 1) * of_block)]
        batch(robot, [{"method": "POST", "path": path, "body": {"label": f"P{row}-{column}", "status": "sick" if column % 50 == 0 else "alive",
                                                                "position": {"lat": 24.4315 + (row - rows / 2) * STEP, "lng": 39.6115 + (column - ACROSS / 2) * STEP}}} for row, column in places])
    return land


def memory(driver):
    """The page's own heap, and all that its renderer holds, in MB."""
    metrics = {each["name"]: each["value"] for each in driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
    held = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                held.append(next(int(line.split()[1]) for line in (process / "smaps_rollup").read_text().splitlines() if line.startswith("Pss:")))
        except OSError:
            pass  # it ended meanwhile
    return metrics["JSHeapUsedSize"] / 1e6, max(held) / 1_000


def since(driver):
    """The longest task and the longest time between frames since the last call, in ms."""
    return driver.execute_script("""const result = [Math.max(0, ...window.tasks), Math.max(0, ...window.frames_), window.frames_.length];
        window.tasks.length = window.frames_.length = 0; return result""")


def show(what, value):
    print(f"{what:<70} {value}", flush=True)


def measure(driver, person, land):
    driver.execute_cdp_cmd("Performance.enable", {})
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    for path in ("/today", "/tasks", "/farms"):
        began = time.monotonic()
        open_as(driver, person, f"/#{path}")
        paint = driver.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
        show(f"{path}: first paint; until it can be used; longest task", f"{paint:.0f} ms; {time.monotonic() - began:.2f} s; {since(driver)[0]:.0f} ms")
    visit(driver, "#/farms")
    heap, held = memory(driver)
    since(driver)
    began = time.monotonic()
    driver.execute_script("location.hash = arguments[0]", f"#{land.path}")
    sees(driver, f"{PLANTS + 2:,} plants", ".legend")
    wait(driver, lambda: "Loading" not in find(driver, ".legend").text)
    show("the farm with its map, until all plants are there", f"{time.monotonic() - began:.2f} s")
    task, gap, frames = since(driver)
    show("… meanwhile: longest task; longest time between frames", f"{task:.0f} ms (0: none above 50); {gap:.0f} ms of {frames} frames")
    after, held_after = memory(driver)
    show("… memory: of the page's heap; of the renderer", f"{after:.0f} MB ({after - heap:+.0f}); {held_after:.0f} MB ({held_after - held:+.0f})")
    weights = driver.execute_script("return performance.getEntriesByType('resource').filter(each => !each.name.includes('/api/')).map(each => [each.name, each.encodedBodySize])")
    show("… weight of all pages until then", f"{sum(size for _, size in weights) / 1_000:.0f} kB")
    place = find(driver, ".map")
    since(driver)
    for _ in range(4):
        drag = ActionChains(driver, duration=40).move_to_element(place).click_and_hold()
        for _ in range(6):
            drag = drag.move_by_offset(20, 8)
        drag.release().perform()
    task, gap, frames = since(driver)
    show("dragging it four times: longest task; longest time between frames", f"{task:.0f} ms; {gap:.0f} ms of {frames} frames")
    for control in ("in", "in", "out", "out"):
        find(driver, f".leaflet-control-zoom-{control}").click()
        driver.execute_async_script("setTimeout(arguments[0], 600)")
    task, gap, frames = since(driver)
    show("zooming in and out twice: longest task; longest time between frames", f"{task:.0f} ms; {gap:.0f} ms of {frames} frames")


def main():
    with tempfile.TemporaryDirectory() as directory:
        service = Service(directory, config=VAST, clock=None).start()
        try:
            with chromium() as driver:
                person = Person(service, plan="vast", name="Aisha")
                land = fill(person)
                look(driver, 1280, 900)
                driver.get(f"http://{service.address}/assets/icon.svg")
                measure(driver, person, land)
        finally:
            service.kill()


if __name__ == "__main__":
    main()
