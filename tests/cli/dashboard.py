#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a dashboard for Grafana against what the program shows to Prometheus.

    dashboard.py DASHBOARD.json SCHEMA.json PAGE... >TEST.yml

SCHEMA is what `tailproof explain --schema` prints, a PAGE metrics as text. Says on stderr, with exit code 1, what is wrong: a form
that Grafana does not read (its schema 36, kinds/dashboard/dashboard_kind.cue of Grafana 9.4, in which objects are closed), a
metric that nothing shows, a label that it does not have. Else prints a test for `promtool test rules`, by which each query has an
answer, from the pages; series of kinds that no page has are made up as the schema has them.
"""
import json
import re
import sys

OF_DASHBOARD = set("""id uid title description revision gnetId tags style timezone editable graphTooltip time timepicker
    fiscalYearStartMonth liveNow weekStart refresh schemaVersion version panels templating annotations links snapshot""".split())
OF_PANEL = set("""type id pluginVersion tags targets title description transparent datasource gridPos links repeat repeatDirection
    repeatPanelId maxDataPoints thresholds timeRegions transformations interval timeFrom timeShift libraryPanel options
    fieldConfig""".split())
OF_ROW = set("type collapsed title datasource gridPos id panels repeat".split())
OF_FIELD = set("""displayName displayNameFromDS description path writeable filterable unit decimals min max mappings thresholds
    color links noValue custom""".split())
KINDS = {"timeseries", "stat", "table", "state-timeline"}
UNITS = {"s", "percentunit", "short"}
wrong = []


def expect(condition, *what):
    if not condition:
        wrong.append(" ".join(str(x) for x in what))


def check_grid(panels):
    taken = {}
    for panel in panels:
        at, name = panel["gridPos"], panel["title"]
        expect(set(at) == {"h", "w", "x", "y"} and at["h"] > 0 and 0 < at["w"] <= 24 and 0 <= at["x"] <= 24 - at["w"] and at["y"] >= 0,
               name, "is at", at)
        for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
            expect(taken.setdefault(cell, name) == name, name, "covers", taken[cell])


def check_panel(panel, variables):
    name = panel.get("title")
    if panel["type"] == "row":
        return expect(set(panel) <= OF_ROW and panel["panels"] == [], name, "has", set(panel) - OF_ROW)
    expect(set(panel) <= OF_PANEL, name, "has", set(panel) - OF_PANEL)
    expect(panel["type"] in KINDS, name, "is a", panel["type"])
    defaults = panel["fieldConfig"]["defaults"]
    expect(set(panel["fieldConfig"]) == {"defaults", "overrides"} and set(defaults) <= OF_FIELD, name, "has", set(defaults) - OF_FIELD)
    expect(defaults["unit"] in UNITS, name, "is in", defaults["unit"])
    steps = [step["value"] for step in defaults.get("thresholds", {"steps": [{"value": None}]})["steps"]]
    expect(steps[0] is None and steps[1:] == sorted(steps[1:]), name, "has thresholds", steps)
    references = [target["refId"] for target in panel["targets"]]
    expect(references and len(set(references)) == len(references), name, "has queries", references)
    for target in panel["targets"]:
        expect(target["datasource"] == panel["datasource"] == {"type": "prometheus", "uid": "${source}"}, name, "asks", target["datasource"])
        expect(target["instant"] != target["range"] and target["instant"] == (panel["type"] == "table"), name, "is instant", target["instant"])
        used = set(re.findall(r"\$\{?(\w+)", target["expr"])) - {"__rate_interval"}
        expect(used <= variables, name, "uses", used - variables)
    return None


def check_form(dashboard):
    expect(set(dashboard) <= OF_DASHBOARD, "the dashboard has", set(dashboard) - OF_DASHBOARD)
    expect(dashboard["schemaVersion"] == 36, "schema", dashboard["schemaVersion"])
    expect(re.fullmatch(r"[a-zA-Z0-9_-]{8,40}", dashboard["uid"]), "uid", dashboard["uid"])
    variables = [v["name"] for v in dashboard["templating"]["list"]]
    expect(variables[0] == "source" and len(set(variables)) == len(variables), "variables", variables)
    ids = [panel["id"] for panel in dashboard["panels"]]
    expect(len(set(ids)) == len(ids), "ids", ids)
    for panel in dashboard["panels"]:
        check_panel(panel, set(variables))
    check_grid(dashboard["panels"])


def shown(pages):
    """{metric: [labels]}, and lines of series with their values."""
    metrics, series = {}, []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            for line in file:
                m = re.fullmatch(r"([a-z_:]+)(\{.*\})? (\S+)\n", line)
                if line.startswith("#") or m is None:
                    continue
                metrics.setdefault(m[1], []).append(set(re.findall(r'(\w+)="', m[2] or "")))
                series.append((m[1] + (m[2] or ""), m[3]))
    return metrics, series


def of_kinds(schema, metrics, series):
    """Adds a series of each key that is a number, of kinds that no page has."""
    for kind in schema["anyOf"]:
        name, keys = "tailproof_" + kind["title"].split()[0], kind["properties"]
        if any(metric.startswith(name + "_") for metric in metrics):
            continue
        texts = [key for key, value in keys.items() if value.get("type") in ("string", ["string"]) and key != "kind"]
        for key, value in keys.items():
            types = value.get("type", [])
            if "integer" in types or "number" in types:
                metrics[f"{name}_{key}"] = [{*texts, "instance"}]
                series.append((f"{name}_{key}{{" + ",".join(t + '="x"' for t in texts) + "}", "3"))


def check_queries(dashboard, metrics):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            query, labels = target["expr"], {}
            for metric, chosen in re.findall(r"(tailproof_\w+)(\{[^}]*\})?", query):
                expect(metric in metrics, panel["title"], "asks for", metric + ", which nothing shows")
                labels[metric] = set.union({"instance", "job", "le"}, *metrics.get(metric, [set()]))
                asked = set(re.findall(r"(\w+)=", chosen))
                expect(asked <= labels[metric], panel["title"], metric, "has no", asked - labels[metric])
            named = {x.strip() for group in re.findall(r"\b(?:by|on) \(([^)]*)\)", query) for x in group.split(",")}
            named |= set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            known = set.union(set(), *labels.values())
            expect(named <= known, panel["title"], "names", named - known)


def print_test(dashboard, series):
    print("evaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:")
    for name, value in dict(series).items():
        print(f"      - series: '{name}'\n        values: '{value}+0x20'")
    print("    promql_expr_test:")
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            query = re.sub(r"\$(protocol|bound|p|node)\b", ".*", target["expr"]).replace("$__rate_interval", "5m")
            print(f"      - expr: {json.dumps(f'count({query}) > bool 0')}\n        eval_time: 15m\n        exp_samples: [{{value: 1}}]")


def main(arguments):
    with open(arguments[0], encoding="utf-8") as file:
        dashboard = json.load(file)
    with open(arguments[1], encoding="utf-8") as file:
        schema = json.load(file)
    metrics, series = shown(arguments[2:])
    check_form(dashboard)
    of_kinds(schema, metrics, series)
    check_queries(dashboard, metrics)
    for line in wrong:
        print(line, file=sys.stderr)
    print_test(dashboard, series)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
