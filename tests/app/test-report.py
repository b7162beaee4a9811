#!/usr/bin/env python3
"""test-report.py HIRSCOPE

Opens HTML reports in headless Chromium, if it is installed, and reads what is on the screen: the head, the facts of the
run, the figures, and the text of the bar under the pointer.
"""
import html
import json
import os
import re
import shutil
import subprocess
import tempfile

from program import from_command_line
from tap import Tap

LIMIT_S = 100
# Writes what a reader sees into the page, from which --dump-dom prints it.
PROBE = """<script>addEventListener('load', () => {
const text = e => e ? e.innerText : '', box = e => e.getBoundingClientRect();
const seen = {title: document.title, heading: text(document.querySelector('h1')), sentence: text(document.querySelector('p')),
  facts: Object.fromEntries([...document.querySelectorAll('dl.run dt')].map(e => [text(e), text(e.nextElementSibling)])),
  sections: [...document.querySelectorAll('h2')].map(text), width: [document.documentElement.scrollWidth, innerWidth],
  figures: [...document.querySelectorAll('figure')].map(e => [box(e).width, box(e).height]),
  texts: [...document.querySelectorAll('figure text')].map(e => e.textContent), body: text(document.body)};
const bar = [...document.querySelectorAll('figure rect')].find(e => e.tip && e.tip.includes('matmul') && box(e).width > 4);
bar.scrollIntoView({block: 'center', inline: 'center'});
const x = box(bar).x + box(bar).width / 2, y = box(bar).y + box(bar).height / 2, hit = document.elementFromPoint(x, y);
hit.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: x, clientY: y}));
const tip = document.querySelector('.tip');
seen.bar = bar.tip; seen.hit = hit.tip; seen.tip = text(tip); seen.tip_height = box(tip).height;
const out = document.createElement('pre'); out.id = 'seen'; out.textContent = JSON.stringify(seen); document.body.append(out);
})</script>"""


def find_chromium():
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


def look(tap, chromium, path, folder):
    """Return what Chromium displays of the page @path, or None if Chromium does not work here."""
    copy = path.replace(".html", "-probe.html")
    with open(path, encoding="utf-8") as source, open(copy, "w", encoding="utf-8") as target:
        target.write(source.read().replace("</body>", PROBE + "</body>"))
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
               f"--user-data-dir={folder}/profile", "--dump-dom", f"file://{copy}"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return tap.skip("the page in Chromium", f"Chromium did not answer within {LIMIT_S} s")
    if b"<html" not in done.stdout:
        return tap.skip("the page in Chromium", f"Chromium does not run here (exit code {done.returncode})")
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout.decode(), re.S)
    tap.check(found, "the page is displayed", done.stdout[-300:])
    return json.loads(html.unescape(found.group(1))) if found else None


def export(tap, hirscope, path, out, *words):
    done = hirscope("export", path, "--to", "html", "-o", out, *words)
    tap.check(done.code == 0, "export --to html " + " ".join(words), done)
    return out


def test_report(tap, hirscope, folder):
    if "figures: no" in hirscope("--version").out:
        return tap.skip("reports", "this build has no figures")
    path = os.path.join(folder, "r.hirs")
    hirscope("run", "example:ag_matmul", "-d", 2, "--streams", 3, "--clock", "model", "-o", path)
    whole = export(tap, hirscope, path, os.path.join(folder, "whole.html"))
    part = export(tap, hirscope, path, os.path.join(folder, "part.html"), "--range", "20us:80us", "--tracks", "Stream*")
    with open(whole, encoding="utf-8") as file:
        tap.check("critical path; dotted: nothing runs" in file.read(), "the report explains what it draws")
    with open(part, encoding="utf-8") as file:
        head = file.read().split("<figure>")[0]
    tap.check(re.search(r"<title>[^<]*20\.?0* µs to 80\.?0* µs</title>", head) and
              re.search(r"<h1>[^<]*80", head) and re.search(r"only the range 20\.?0* µs to 80\.?0* µs", head) and
              "but lost time and gains of whole repetitions" in head and
              re.search(r"only 6 of \d+ tracks", head), "a report of a range says so in its head and first sentence", head[-900:])
    with open(part, encoding="utf-8") as file:
        body = file.read()
    stats = json.loads(hirscope("stats", path, "--json", "--range", "20us:80us", "--tracks", "Stream*").out)
    counts = re.findall(r'<td class="name">[^<]*</td><td>(\d+)</td><td', body.split("Kernels, copies")[1].split("</table>")[0])
    tap.check([int(n) for n in counts] == [row["count"] for row in stats["kernels"]] and "events that overlap the range count" in body,
              "the tables of a report have the rule and the counts of stats --range", counts, stats["kernels"])
    chromium = find_chromium()
    if chromium is None:
        return tap.skip("the page in Chromium", "Chromium is not installed (package chromium)")
    seen = look(tap, chromium, whole, folder)
    if seen is None:
        return None
    tap.check(seen["title"] == "r.hirs" == seen["heading"] and "all of the recording" in seen["sentence"], "title and first sentence", seen)
    facts = seen["facts"]
    tap.check(facts["Script"] and facts["Function"] == "ag_matmul" and "3 streams" in facts["Run"] and "--streams 3" in facts["Command"] and
              facts["Inputs"] == "tv0 (T0) 16x2x64x64 float, tv1 (T1) 64x64 float" and
              "processors" in facts["Machine"] and re.search(r"20\d\d, \d\d:\d\d UTC", facts["Date"]) and "Hirscope" in facts["Recorded by"],
              "the page names script, options, streams, date, machine and version", facts)
    tap.check(len(seen["figures"]) == 2 and all(w > 600 and h > 100 for w, h in seen["figures"]) and
              "Stream 2" in seen["texts"] and any("ALLOCATE" in text for text in seen["texts"]), "timeline and graph are visible", seen["figures"])
    tap.check(seen["width"][0] <= seen["width"][1], "the page does not scroll sideways", seen["width"])
    tap.check(seen["hit"] == seen["tip"] == seen["bar"] and seen["tip_height"] > 10, "a bar under the pointer shows its text",
              seen["bar"], seen["hit"], seen["tip"])
    tap.check(all(name in seen["sections"] for name in ("Devices", "Passes", "Program", "Recording")), "the sections", seen["sections"])
    seen = look(tap, chromium, part, folder)
    if seen:
        tap.check("only the range" in seen["sentence"] and seen["title"] == seen["heading"] and "80" in seen["title"] and
                  "host" not in seen["texts"], "the displayed report of a range", seen["sentence"], seen["title"])
    return None


def main():
    tap, hirscope = Tap(), from_command_line()
    with tempfile.TemporaryDirectory() as folder:
        tap.group(test_report, hirscope, folder)
    tap.done()


if __name__ == "__main__":
    main()
