"""Forward passes against PyTorch's own loop: images per second on the same network and threads, in turns.

    compare_networks.py --forward build/bench/assay_forward --data build/bench-data [--repeat 3] [--network FILE.pt]

Python gets the better of two batch sizes; Assay runs batches of 8, one thread each.
"""
import argparse
import json
import pathlib
import statistics
import sys

from measure import PEERS, print_table, python_with, run

SIZE, SECONDS = "128", "3"
PEER_BATCHES = ("8", "32")
THREADS = (1, 2)


def speed(command):
    return float(run(command)["output"])


def measure(python, forward, network, repeat):
    onnx = network.with_suffix(".onnx")
    kinds = {"TorchScript": network, **({"ONNX": onnx} if onnx.exists() else {})}
    rows = []
    for threads in THREADS:
        peers = {batch: [] for batch in PEER_BATCHES}
        ours = {kind: [] for kind in kinds}
        for _ in range(repeat):
            for batch, speeds in peers.items():
                speeds.append(speed([python, PEERS / "torch_forward.py", network, SIZE, batch, str(threads), SECONDS]))
            for kind, file in kinds.items():
                ours[kind].append(speed([forward, file, "--size", SIZE, "--threads", str(threads), "--seconds", SECONDS]))
        peer = max(statistics.median(speeds) for speeds in peers.values())
        for kind, speeds in ours.items():
            found = statistics.median(speeds)
            rows.append({"what": kind, "threads": threads, "peer": peer, "assay": found, "ratio": found / peer})
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--forward", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--network", type=pathlib.Path, help="TorchScript file (default: MobileNetV2); FILE.onnx beside it too")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    python = python_with("torch")
    if python is None:
        sys.exit("compare_networks: no Python with PyTorch found; install python3-torch")
    network = args.network or args.data / "mobilenet_v2.pt"
    if not network.exists():
        args.data.mkdir(parents=True, exist_ok=True)
        run([python, PEERS / "torch_forward.py", "make", args.data])
    rows = measure(python, args.forward, network, args.repeat)
    print(f"{network.stem} at {SIZE} px against PyTorch's forward loop, images/s")
    print_table(["plug-in", "threads", "PyTorch", "Assay", "ratio"],
                [[r["what"], str(r["threads"]), f"{r['peer']:.0f}", f"{r['assay']:.0f}", f"{r['ratio']:.1f}"] for r in rows])
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
