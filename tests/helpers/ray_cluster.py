"""A cluster of Ray on this machine, each node on a loopback address of its own, that can lose its nodes.

    python ray_cluster.py NODES [CPUS]

Says where it is and which processes its nodes are (one JSON object a line), obeys ``kill N``, ``add`` and ``kill head`` on its standard input, and ends with it.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

#: Ray gives a node on 127.0.0.1 the address of the network card; these it takes as they are.
ADDRESS = "127.0.0.{}"


def main(count: int, cpus: int) -> None:
    from ray.cluster_utils import Cluster

    def words(number: int) -> dict[str, Any]:
        return {"num_cpus": cpus, "node_ip_address": ADDRESS.format(number + 2)}

    cluster = Cluster(initialize_head=True, head_node_args=words(0) | {"include_dashboard": False})
    nodes = [cluster.head_node]
    nodes += [cluster.add_node(**words(number)) for number in range(1, count)]
    cluster.wait_for_nodes()
    tell(cluster, nodes)
    for line in sys.stdin:
        act, _, whom = line.strip().partition(" ")
        if act == "kill" and whom == "head":
            kill(cluster.head_node, "gcs_server")
        elif act == "kill":
            kill(nodes[int(whom)], "raylet")
        elif act == "add":
            nodes.append(cluster.add_node(**words(len(nodes))))
        tell(cluster, nodes)
    cluster.shutdown()


def kill(node: Any, name: str) -> None:
    """And bury it: to those who ask for its number a process that nobody has waited for is alive."""
    process = node.all_processes[name][0].process
    process.send_signal(signal.SIGKILL)
    process.wait()


def process_of(node: Any, name: str) -> int:
    return int(node.all_processes[name][0].process.pid)


def tell(cluster: Any, nodes: list[Any]) -> None:
    raylets = [process_of(node, "raylet") for node in nodes]
    print(json.dumps({"address": cluster.address, "raylets": raylets}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
