#!/usr/bin/env python3
"""Faults on purpose: kills commands at random instants, damages what they kept, takes their disk, their home or their limits away,
and compares what they say afterwards with an undisturbed run.

    campaign.py --assay build/assay --rounds 10 [--seed 1] [--only curve,tune]

Nothing may be lost: every repeated run must give the result of the undisturbed one, and no temporary may stay. Prints a table of
faults injected and found harmless; fails on the first that is not. Needs Python and a C compiler only; commands that run
networks are left out without the libtorch plug-in."""
import argparse
import ctypes
import ctypes.util
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "net"
TIMES = {"provenance", "latency_ms", "milliseconds_per_image", "resumed", "resumed_from", "computed", "rebuilt", "rebuilt_shards", "from_cache",
         "time", "pareto", "images_per_second", "notes", "verdict"}


class Lost(Exception):
    pass


def npy(path, code, item, shape, values):
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}{item}", *values))


def make_inputs(folder, chance):
    rows, dim = 240, 8
    hub = folder / "hub"
    hub.mkdir()
    centres = [[chance.gauss(0, 1) for _ in range(dim)] for _ in range(3)]
    for name, spread in (("good", 0.5), ("fair", 2.0)):
        values = [centres[i % 3][j] + spread * chance.gauss(0, 1) for i in range(rows) for j in range(dim)]
        npy(hub / f"{name}.npy", "<f4", "f", (rows, dim), values)
    (folder / "labels.txt").write_text("".join(f"{i % 3}\n" for i in range(rows)))
    networks, data = folder / "networks", folder / "data"
    networks.mkdir()
    data.mkdir()
    entries = []
    for name in ("tiny", "padded"):
        shutil.copy(GOLDEN / f"{name}.pt", networks)
        entries.append({"name": name, "file": f"{name}.pt", "input_size": 8, "classes": 0})
    (networks / "hub.json").write_text(json.dumps(entries))
    for part, count in (("train", 600), ("test", 60)):
        pixels = [int((60 if i % 2 == 0 else 140) + 100 * chance.random()) for i in range(count) for _ in range(8 * 8 * 3)]
        npy(data / f"{part}_images.npy", "|u1", "B", (count, 8, 8, 3), pixels)
        npy(data / f"{part}_labels.npy", "<i8", "q", (count,), [i % 2 for i in range(count)])


def lasting(value):
    """A result without what the clock decides."""
    if isinstance(value, dict):
        return {k: lasting(v) for k, v in value.items() if k not in TIMES and "seconds" not in k}
    return [lasting(v) for v in value] if isinstance(value, list) else value


class Command:
    def __init__(self, name, words, writes=None):
        self.name, self.words, self.writes = name, words, writes


class Campaign:
    def __init__(self, options, folder):
        self.assay = str(pathlib.Path(options.assay).resolve())
        self.folder, self.chance = folder, random.Random(options.seed)
        self.rounds, self.table = options.rounds, {}
        self.slow = folder / "slow_disk.so"
        compiler = os.environ.get("CC", "cc")
        built = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.slow, HERE / "slow_disk.c", "-ldl"])
        if built.returncode:
            self.slow = None
        make_inputs(folder, self.chance)
        network = ["networks", "--data", "data", "--quiet", "--threads", "2"]
        self.commands = {
            "curve": Command("curve", ["curve", "hub", "--labels", "labels.txt", "--sizes", "8", "--seeds", "6", "--probe", "mlp",
                                       "--hidden", "16", "--updates", "200", "--threads", "2", "--quiet"]),
            "robust": Command("robust", ["robust", "score", "networks", "--scales", "1,2", "--samples", "64", "--quiet"]),
            "extract": Command("extract", ["extract", *network, "--out", "OUT"], "OUT"),
            "rank": Command("rank", ["rank", *network, "--metric", "logme,knn"]),
            "tune": Command("tune", ["tune", *network, "--target", "tiny", "--teachers", "padded", "--epochs", "40", "--views", "1",
                                     "--lr", "0.0001"]),
        }
        torch = subprocess.run([self.assay, "hub", "check", "networks"], cwd=folder, capture_output=True).returncode == 0
        if not torch:
            print("faults: no libtorch plug-in; commands that run networks are left out")
        wanted = options.only.split(",") if options.only else list(self.commands)
        self.commands = {k: v for k, v in self.commands.items() if k in wanted and (torch or k == "curve")}
        self.expected = {}

    def environment(self, cache, slow=False):
        environment = {**os.environ, "ASSAY_CACHE": str(cache)}
        if slow and self.slow:
            environment["LD_PRELOAD"] = str(self.slow)
        return environment

    def words(self, command, scratch):
        words = [str(scratch / "out") if word == "OUT" else word for word in command.words]
        return [self.assay, *words, "--json", str(scratch / "result.json")]

    def start(self, command, scratch, cache, slow=False, prepare=None):
        return subprocess.Popen(self.words(command, scratch), cwd=self.folder, env=self.environment(cache, slow),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=prepare)

    def result(self, command, scratch):
        text = re.sub(re.escape(str(self.folder)) + "[^\"]*?/cache", "", (scratch / "result.json").read_text())
        found = {"json": lasting(json.loads(text))}
        found["json"].pop("failed", None)
        if command.writes:
            for file in sorted((scratch / "out").rglob("*")):
                # A process that was killed leaves the temporary it was writing, NAME.XXXXXX; nobody reads it as a result.
                if file.is_file() and not re.fullmatch(r"\.\w{6}", file.suffix):
                    found[str(file.relative_to(scratch))] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found

    def finish(self, command, scratch, cache):
        """Runs to the end and must say what the undisturbed run said."""
        scratch.mkdir(exist_ok=True)
        process = self.start(command, scratch, cache)
        errors = process.communicate(timeout=600)[1].decode(errors="replace")
        if process.returncode != 0:
            raise Lost(f"{command.name}: exit code {process.returncode} after the fault: {errors[:500]}")
        found = self.result(command, scratch)
        expected = self.expected.get(command.name)
        if expected is not None and found != expected:
            (self.folder / "expected.json").write_text(json.dumps(expected, indent=1))
            (self.folder / "found.json").write_text(json.dumps(found, indent=1))
            raise Lost(f"{command.name}: another result than undisturbed; see expected.json and found.json in {self.folder}")
        return found

    def count(self, fault, command, injected=1):
        row = self.table.setdefault((fault, command.name), [0, 0])
        row[0] += injected
        row[1] += injected

    def scratch(self, name):
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        return path

    def undisturbed(self):
        for command in self.commands.values():
            scratch, started = self.scratch("undisturbed"), time.monotonic()
            self.expected[command.name] = self.finish(command, scratch, scratch / "cache")
            command.seconds = time.monotonic() - started
            command.cache = self.folder / f"cache-{command.name}"
            shutil.rmtree(command.cache, ignore_errors=True)
            shutil.copytree(scratch / "cache", command.cache)

    def kills(self):
        """SIGKILL at random instants, several times over one cache, then to the end."""
        for command in self.commands.values():
            for slow in (False, True):
                scratch = self.scratch("kill")
                for _ in range(self.rounds):
                    process = self.start(command, scratch, scratch / "cache", slow)
                    time.sleep(self.chance.uniform(0.0, 1.2 * command.seconds))
                    process.kill()
                    process.communicate()
                    self.count("kill -9, slow disk" if slow else "kill -9", command)
                self.finish(command, scratch, scratch / "cache")
                shutil.rmtree(scratch / "out", ignore_errors=True)

    def pairs(self):
        """Two processes on one cache, one of them killed now and then."""
        for command in self.commands.values():
            for _ in range(self.rounds):
                scratch = self.scratch("pair")
                (scratch / "a").mkdir(), (scratch / "b").mkdir()
                first = self.start(command, scratch / "a", scratch / "cache")
                second = self.start(command, scratch / "b", scratch / "cache")
                if self.chance.random() < 0.5:
                    time.sleep(self.chance.uniform(0.0, command.seconds))
                    first.kill()
                first.communicate(), second.communicate(timeout=600)
                if second.returncode != 0 or self.result(command, scratch / "b") != self.expected[command.name]:
                    raise Lost(f"{command.name}: two processes on one cache disturb each other")
                self.finish(command, self.scratch_in(scratch, "c"), scratch / "cache")
                self.count("two on one cache", command)

    @staticmethod
    def scratch_in(scratch, name):
        (scratch / name).mkdir(exist_ok=True)
        return scratch / name

    def damage(self):
        """A flipped bit or a cut in every kind of file that a command kept."""
        for command in self.commands.values():
            files = sorted(f for f in command.cache.rglob("*") if f.is_file() and f.stat().st_size and f.suffix != ".lock")
            kinds = {}
            for file in files:
                kinds.setdefault(f"{file.parent.name if file.parent.parent == command.cache else ''}{file.suffix}:"
                                 f"{''.join(c for c in file.name.split('.')[0] if c.isalpha())[:8]}", []).append(file)
            for _ in range(self.rounds):
                for same in kinds.values():
                    file = self.chance.choice(same)
                    scratch = self.scratch("damage")
                    shutil.copytree(command.cache, scratch / "cache")
                    victim = scratch / "cache" / file.relative_to(command.cache)
                    data = bytearray(victim.read_bytes())
                    cut = self.chance.random() < 0.3
                    if cut:
                        del data[self.chance.randrange(len(data)):]
                    else:
                        data[self.chance.randrange(len(data))] ^= 1 << self.chance.randrange(8)
                    victim.write_bytes(data)
                    try:
                        self.finish(command, scratch, scratch / "cache")
                    except Lost as lost:
                        raise Lost(f"{victim.relative_to(scratch)}, {'cut' if cut else 'one bit flipped'}: {lost}") from None
                    self.count("cut" if cut else "flipped bit", command)

    def starved(self, fault, command, prepare=None, cache=None, environment=None):
        """Must end by itself with an exit code of ours, leave no temporary, and work when repeated."""
        scratch = self.scratch("starved")
        process = self.start(command, scratch, cache or scratch / "cache", prepare=prepare)
        errors = process.communicate(timeout=600)[1].decode(errors="replace")
        if process.returncode not in (0, 1, 2):
            raise Lost(f"{command.name}, {fault}: ended by signal {-process.returncode}: {errors[:300]}")
        if process.returncode == 0 and self.result(command, scratch) != self.expected[command.name]:
            raise Lost(f"{command.name}, {fault}: another result, and no word of it")
        if process.returncode == 2 and "error" not in errors:
            raise Lost(f"{command.name}, {fault}: failed without a word")
        left = [str(f) for f in scratch.glob("result.json.*")]
        if left:
            raise Lost(f"{command.name}, {fault}: temporaries stay: {left}")
        again = self.scratch_in(scratch, "again")
        self.finish(command, again, again / "cache")
        self.count(fault, command)

    def limits(self):
        for command in self.commands.values():
            for kib in (1, 8, 64):
                self.starved("ulimit -f", command,
                             lambda n=kib: resource.setrlimit(resource.RLIMIT_FSIZE, (n << 10, n << 10)))
            self.starved("ulimit -n", command, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)))
            unwritable = self.folder / "a file"
            unwritable.write_text("")
            self.starved("cache that cannot be", command, cache=unwritable / "cache")

    def homeless(self):
        for command in self.commands.values():
            scratch = self.scratch("homeless")
            environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "ASSAY_CACHE")}
            process = subprocess.run(self.words(command, scratch), cwd=self.folder, env=environment, capture_output=True)
            if process.returncode not in (0, 2):
                raise Lost(f"{command.name}, no HOME: exit code {process.returncode}")
            if process.returncode == 0 and self.result(command, scratch) != self.expected[command.name]:
                raise Lost(f"{command.name}, no HOME: another result")
            self.count("no HOME", command)

    def full_disks(self):
        """A tmpfs of a few KiB for the cache, full or read-only; needs the right to mount."""
        libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        read_only = 1
        for command in self.commands.values():
            for size, flags, fault in ((16, 0, "full disk"), (64, 0, "full disk"), (64, read_only, "read-only disk")):
                if libc.mount(b"tmpfs", str(disk).encode(), b"tmpfs", flags, f"size={size}k".encode()) != 0:
                    print("faults: may not mount a tmpfs; full and read-only disks are left out")
                    return
                try:
                    self.starved(fault, command, cache=disk / "cache")
                finally:
                    libc.umount2(str(disk).encode(), 0)

    def run(self):
        self.undisturbed()
        for step in (self.kills, self.pairs, self.damage, self.limits, self.homeless, self.full_disks):
            started = time.monotonic()
            step()
            print(f"faults: {step.__name__}: {time.monotonic() - started:.0f} s", flush=True)
        print(f"\n{'fault':<24} {'command':<10} {'injected':>8} {'harmless':>8}")
        for (fault, command), (injected, harmless) in sorted(self.table.items()):
            print(f"{fault:<24} {command:<10} {injected:>8} {harmless:>8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-faults-"))
    try:
        Campaign(options, folder).run()
    except Lost as lost:
        print(f"faults: LOST: {lost}", file=sys.stderr)
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
