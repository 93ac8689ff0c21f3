"""packaging/kubernetes/tilth.yaml is what Kubernetes accepts, and uses only what the service has."""
import json
import os
import pathlib
import re
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("TILTH_BINARY", ROOT / "build/dev/tilth")).resolve()
MANIFEST = ROOT / "packaging/kubernetes/tilth.yaml"
OBJECTS = {(each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(MANIFEST.read_text())}
NODES = OBJECTS["StatefulSet", "tilth"]["spec"]
POD = NODES["template"]["spec"]
(CONTAINER,) = POD["containers"]
PORTS = {port["name"]: port["containerPort"] for port in CONTAINER["ports"]}
SETTINGS = OBJECTS["ConfigMap", "tilth"]["data"]["tilth.toml"]
LABELS = NODES["template"]["metadata"]["labels"]
PROBES = {name: CONTAINER[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
GUIDE = (ROOT / "docs/operations.md").read_text()
STOPS_WITHIN = 10  # seconds after SIGTERM


def flags():
    return dict(flag.removeprefix("--").split("=", 1) for flag in CONTAINER["args"][1:])


@pytest.fixture(scope="module")
def effective(tmp_path_factory):
    """Every setting of a node: its value, and where it comes from."""
    file = tmp_path_factory.mktemp("settings") / "tilth.toml"
    file.write_text(SETTINGS)
    given = [f"--{name}={file if name == 'config' else value}" for name, value in flags().items()]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("TILTH_")}
    surroundings |= {each["name"]: each["value"].replace("$(POD_NAME)", "tilth-0")
                     for each in CONTAINER["env"] if "value" in each}
    done = subprocess.run([BINARY, "config", "check", "--json", *given], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, env=surroundings)
    assert done.returncode == 0, done.stderr
    return {line["name"]: line for line in json.loads(done.stdout)["data"]}


@pytest.mark.parametrize("version", ["1.27", "1.37"])  # the oldest that the manifest names, the newest of the package
def test_kubernetes_accepts_it(version):
    found = subprocess.run([ROOT / "tests/tools.sh", "python", "kubernetes", "kubernetes-validate==1.37.0"],
                           capture_output=True, text=True)
    if found.returncode == 77:
        pytest.skip(found.stderr)
    assert found.returncode == 0, found.stderr
    done = subprocess.run([found.stdout.strip(), "-m", "kubernetes_validate", "--strict", "-k", version, MANIFEST],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("passed") + done.stderr.count("passed") == len(OBJECTS)


def test_nodes_are_started_with_settings_that_there_are(effective):
    assert CONTAINER["args"][0] == "serve"
    for name in flags().keys() - {"config"}:
        assert effective[name.replace("-", "_")]["source"] == f"--{name}"
    assert effective["log"]["value"] == "kafka" and effective["brokers"]["value"]


def test_the_ports_are_those_that_the_service_listens_on(effective):
    assert effective["listen"]["value"] == f"0.0.0.0:{PORTS['api']}"
    assert effective["operator_listen"]["value"] == f"0.0.0.0:{PORTS['operator']}"
    assert effective["cluster.listen"]["value"] == f"0.0.0.0:{PORTS['nodes']}"
    assert effective["cluster.advertise"]["value"] == f"tilth-0.tilth-nodes:{PORTS['nodes']}"
    for kind, name in OBJECTS:
        for port in OBJECTS[kind, name]["spec"]["ports"] if kind == "Service" else []:
            assert port["targetPort"] in PORTS, name
    for rule in OBJECTS["NetworkPolicy", "tilth"]["spec"]["ingress"]:
        assert all(port["port"] in PORTS for port in rule["ports"])


def test_data_and_settings_are_mounted_where_the_flags_say():
    mounts = {mount["name"]: mount["mountPath"] for mount in CONTAINER["volumeMounts"]}
    (claim,) = NODES["volumeClaimTemplates"]
    assert mounts[claim["metadata"]["name"]] == flags()["data"]
    # Commands that run in the container find the operator token there.
    assert f"TILTH_DATA={flags()['data']} " in (ROOT / "Dockerfile").read_text()
    (settings,) = POD["volumes"]
    assert flags()["config"] == f"{mounts[settings['name']]}/tilth.toml"


def test_files_that_the_settings_name_are_in_the_secret_that_the_reader_is_told_to_create():
    (settings,) = POD["volumes"]
    sources = {kind: source["name"] for each in settings["projected"]["sources"] for kind, source in each.items()}
    assert ("ConfigMap", sources["configMap"]) in OBJECTS
    created = f"kubectl create secret generic {sources['secret']} (.*)"
    for text in (MANIFEST.read_text(), GUIDE):
        files = set(re.findall(r"--from-file=(\S+)", re.search(created, text)[1]))
        assert files == set(re.findall(r'"/etc/tilth/([^"]+)"', SETTINGS))


def test_nothing_secret_is_in_it():
    assert not any(kind == "Secret" for kind, _ in OBJECTS)
    assert not re.search(r"password *= *\"|token *= *\"|PRIVATE KEY", SETTINGS)


def test_everything_selects_the_nodes_and_nothing_else():
    selectors = [NODES["selector"]["matchLabels"], OBJECTS["PodDisruptionBudget", "tilth"]["spec"]["selector"]["matchLabels"],
                 OBJECTS["NetworkPolicy", "tilth"]["spec"]["podSelector"]["matchLabels"],
                 *(each["labelSelector"]["matchLabels"] for each in POD["topologySpreadConstraints"]),
                 *(each["spec"]["selector"] for (kind, _), each in OBJECTS.items() if kind == "Service")]
    assert all(selector.items() <= LABELS.items() for selector in selectors) and len(selectors) == 7
    assert OBJECTS["Service", NODES["serviceName"]]["spec"]["clusterIP"] == "None"


def test_two_nodes_go_on_while_one_stops():
    assert NODES["replicas"] - OBJECTS["PodDisruptionBudget", "tilth"]["spec"]["maxUnavailable"] == 2
    assert NODES["updateStrategy"] == {"type": "RollingUpdate"}
    assert {"kubernetes.io/hostname": "DoNotSchedule"}.items() <= {
        each["topologyKey"]: each["whenUnsatisfiable"] for each in POD["topologySpreadConstraints"]}.items()


def test_a_node_has_the_time_to_stop():
    shell, flag, commands = CONTAINER["lifecycle"]["preStop"]["exec"]["command"]
    assert (shell, flag) == ("sh", "-c")
    given = re.fullmatch(r"timeout (\d+) tilth nodes drain --data (\S+); sleep (\d+)", commands)
    assert given[2] == flags()["data"]
    assert POD["terminationGracePeriodSeconds"] > int(given[1]) + int(given[3]) + STOPS_WITHIN


def test_only_nodes_reach_the_port_for_nodes():
    (rule,) = [rule for rule in OBJECTS["NetworkPolicy", "tilth"]["spec"]["ingress"] if rule["ports"] == [{"port": "nodes"}]]
    assert rule["from"] == [{"podSelector": NODES["selector"]}]


def test_no_probe_but_that_of_readiness_depends_on_more_than_the_process():
    """A node that folds, or whose brokers are away, is not ready, and a restart would not help it."""
    assert {name: probe["path"] for name, probe in PROBES.items()} == {
        "startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}
    assert all(probe["port"] == "operator" for probe in PROBES.values())
    # A start waits 10 s for the brokers.
    assert CONTAINER["startupProbe"]["periodSeconds"] * CONTAINER["startupProbe"]["failureThreshold"] > 60


def test_prometheus_is_led_to_the_metrics():
    told = NODES["template"]["metadata"]["annotations"]
    assert told["prometheus.io/port"] == str(PORTS["operator"])
    assert told["prometheus.io/path"] == "/metrics"


def test_a_node_has_no_privileges():
    account, process = POD["securityContext"], CONTAINER["securityContext"]
    assert account["runAsNonRoot"] and account["runAsUser"] >= 10000
    assert account["fsGroup"] == account["runAsGroup"]
    assert account["seccompProfile"] == {"type": "RuntimeDefault"}
    assert process == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                       "capabilities": {"drop": ["ALL"]}}
    assert POD["automountServiceAccountToken"] is False


def test_the_image_is_that_of_this_version():
    version = re.search(r"project\(\w+ VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert CONTAINER["image"] == f"tilth:{version}"


def test_the_guide_says_how_to_use_it():
    assert "../packaging/kubernetes/tilth.yaml" in GUIDE
    section = GUIDE.split("\n## Kubernetes\n")[1].split("\n## ")[0]
    for name in set(re.findall(r"(?:statefulset|pod|pvc|service|configmap)/([\w-]+)", section)):
        assert re.match(r"(data-)?tilth(-\d|-nodes)?$", name), name
