"""Hosts with different installations."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: These speak with their like on the other hosts.
MUST_BE_EQUAL = ("tensorflow", "python")


@check("H705", since="0.2", needs=("cluster",), prevents=("uncaught-exception",))
def cluster_versions_differ(here: Surroundings) -> Iterator[Finding]:
    """The hosts of the cluster have different versions installed.

    ## Why it matters
    Workers exchange graphs and functions. With a different TensorFlow on one of them the exchange fails late, with a
    message about an operation or an attribute; with a different NumPy or Keras the results differ.

    ## What to do
    Install the same versions everywhere, from one file of requirements or one image.
    """
    if here.cluster is None:
        yield here.unsure("No cluster was checked.")
        return
    told = {node.name: dict(node.versions) for node in here.cluster.nodes if node.versions}
    if len(told) < 2:
        yield here.unsure("Fewer than two hosts reported their versions.")
        return
    wrong = False
    for package in sorted({name for versions in told.values() for name in versions}):
        found: dict[str, list[str]] = {}
        for host, versions in told.items():
            found.setdefault(versions.get(package, "not installed"), []).append(host)
        if len(found) == 1:
            continue
        wrong = True
        usual = max(found, key=lambda version: (len(found[version]), version))
        others = {version: hosts for version, hosts in found.items() if version != usual}
        odd = "; ".join(
            f"{version} on {', '.join(hosts)}" for version, hosts in sorted(others.items())
        )
        answer = here.will_fail if package in MUST_BE_EQUAL else here.warning
        remedies = (
            Remedy(
                f"Install {package} {usual} there too.",
                (f"python -m pip install '{package}=={usual}'",),
            ),
        )
        if package == "python" or usual == "not installed":
            remedies = (Remedy("Use the same environment or image on all hosts."),)
        yield answer(
            f"{package} is {usual} on {len(found[usual])} of {len(told)} hosts, and {odd}.",
            *(Fact(host, versions.get(package, "not installed"), "its agent") for host, versions in told.items()),
            remedies=remedies,
        )  # fmt: skip
    if not wrong:
        versions = next(iter(told.values()))
        names = ", ".join(f"{name} {version}" for name, version in versions.items())
        yield here.fine(f"All {len(told)} hosts have the same: {names}.")
