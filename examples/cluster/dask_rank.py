#!/usr/bin/env python3
"""Ranks a hub of feature files on a Dask cluster: tasks sum moments of blocks of rows, and only sums travel.

    dask_rank.py HUB_FOLDER LABELS.npy [SCHEDULER_ADDRESS] [--json FILE] [--rows ROWS_PER_TASK]

Without an address, two workers on this machine. A worker that dies costs its tasks, which others do again: the sums are the
same, and added in the same order, so the digits are too. Needs Debian's python3-distributed, and assay on every worker.
"""
import argparse
import pathlib

import numpy as np
from distributed import Client, LocalCluster

import assay


def moments_of_block(features, labels, first, last):
    """Runs on a worker, which reads these rows and no others."""
    rows = np.load(features, mmap_mode="r")[first:last]
    return assay.Moments(threads=1).update(np.ascontiguousarray(rows), np.load(labels)[first:last])


def rank_on(client, hub, labels, rows_per_task):
    count = len(np.load(labels, mmap_mode="r"))
    starts = range(0, count, rows_per_task)
    tasks = {
        path.stem: [client.submit(moments_of_block, str(path), labels, first, min(first + rows_per_task, count)) for first in starts]
        for path in sorted(pathlib.Path(hub).glob("*.npy"))
    }
    return assay.rank({name: sum(client.gather(blocks)) for name, blocks in tasks.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hub")
    parser.add_argument("labels")
    parser.add_argument("scheduler", nargs="?")
    parser.add_argument("--json")
    parser.add_argument("--rows", type=int, default=100_000)
    given = parser.parse_args()
    labels = str(pathlib.Path(given.labels).resolve())
    if given.scheduler:
        with Client(given.scheduler) as client:
            result = rank_on(client, pathlib.Path(given.hub).resolve(), labels, given.rows)
    else:
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            result = rank_on(client, pathlib.Path(given.hub).resolve(), labels, given.rows)
    print(result)
    if given.json:
        pathlib.Path(given.json).write_text(result.to_json())


if __name__ == "__main__":
    main()
