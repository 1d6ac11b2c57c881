#!/usr/bin/env python3
"""Writes the seeds of tests/fuzz/corpus that are made, not found: small sound files of every format, and damaged ones of the
kinds that once did harm. Needs nothing but Python. Images come from tests/golden/images; hdf5/ was written by libhdf5."""
import io
import json
import pathlib
import struct
import zipfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"


def put(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def npy(descr, shape, data, fortran="False", version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def npz(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), data, compress_type=method)
    return out.getvalue()


def safetensors(header, data):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def png(width, height, rows, depth=8, colour=2):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def arrays():
    six = floats(1, 2, 3, 4, 5, 6)
    put("npy", "float32.npy", npy("<f4", "(3, 2)", six))
    put("npy", "fortran.npy", npy("<f4", "(3, 2)", six, fortran="True"))
    put("npy", "half.npy", npy("<f2", "(2, 2)", struct.pack("<4e", 1, 2, 3, 4)))
    put("npy", "double.npy", npy("<f8", "(1, 2)", struct.pack("<2d", 1, 2), version=2))
    put("npy", "labels.npy", npy("<i8", "(3,)", struct.pack("<3q", 0, 1, 1)))
    put("npy", "text.npy", npy("<U2", "(2,)", "abcd".encode("utf-32-le")))
    put("npy", "bytes.npy", npy("|S3", "(2,)", b"catdog"))
    put("npy", "bits.npy", npy("|b1", "(2, 2)", b"\0\1\1\0"))
    put("npy", "huge_shape.npy", npy("<f4", "(9223372036854775807, 4)", six))
    members = {"features": npy("<f4", "(3, 2)", six), "labels": npy("<i4", "(3,)", struct.pack("<3i", 0, 1, 0)),
               "probs": npy("<f4", "(3, 2)", floats(.5, .5, 1, 0, 0, 1))}
    put("npz", "stored.npz", npz(members))
    put("npz", "deflated.npz", npz(members, zipfile.ZIP_DEFLATED))
    put("npz", "two.npz", npz({"a": members["features"], "b": members["features"]}))
    put("npz", "empty.npz", npz({}))
    tensor = {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]}
    put("safetensors", "features.safetensors", safetensors({"features": tensor}, six))
    put("safetensors", "labels.safetensors",
        safetensors({"features": tensor, "labels": {"dtype": "I32", "shape": [3], "data_offsets": [24, 36]},
                     "__metadata__": {"format": "pt"}}, six + struct.pack("<3i", 0, 1, 0)))
    put("safetensors", "deep.safetensors", struct.pack("<Q", 4000) + b"[" * 2000 + b"]" * 2000)
    put("shard", "sound.npy", npy("<f4", "(3, 2)", six))
    put("shard", "double.npy", npy("<f8", "(1, 2)", struct.pack("<2d", 1, 2)))
    log = json.dumps({"identity": "identity", "epochs": [
        {"epoch": 1, "train_loss": 1.5, "task_loss": 1.0, "penalty": 0.5, "task_gradient": 0.2, "penalty_gradient": 0.1,
         "seconds": 0.1, "validation_loss": 1.0, "validation_accuracy": 0.5}]}).encode()
    vector = npy("<f4", "(2,)", floats(1, 2))
    names = ["learnt", "velocity", "buffers", "average"]
    put("checkpoint", "sound.npz", npz({"log": npy("|u1", f"({len(log)},)", log), **{n: vector for n in names}}))
    deep = b"[" * 3000 + b"]" * 3000
    put("checkpoint", "deep_log.npz", npz({"log": npy("|u1", f"({len(deep)},)", deep), **{n: vector for n in names}}))


def texts():
    put("numeric_csv", "header.csv", "a,b\n1,2\n3.5,-4e3\n")
    put("numeric_csv", "plain.csv", "1,2,3\n4,5,6\r\n")
    put("numeric_csv", "unusual.csv", '+1,"2", nan\ninf,1e400,-0\n')
    put("numeric_csv", "wide_then_short.csv", "1," * 400 + "1\n1\n1\n")
    put("table", "quoted.csv", 'name,note\n"a ""b"", c","two\nlines"\nd,\n')
    put("table", "mark.csv", "\ufeffname,accuracy\na,0.5\n")
    put("table", "formula.csv", "name,x\n'=cmd,1\n''+a,2\n")
    put("labels", "integers.txt", "0\n1\n2\n-3\n+4\n")
    put("labels", "classes.csv", "id,label\n1,cat\n2,dog\n")
    put("labels", "columns.csv", "a,b\n0,1\n1,0\n")
    put("labels", "numbers.csv", "0.5\n1.5\n99999999999999999999\n")
    put("labels", "long_ids.txt", "99999999999999999999\n1\n")
    entry = {"name": "a", "file": "a.pt", "input_size": 224, "input_scale": 255, "mean": [0, 0, 0], "std": [1, 1, 1],
             "channel_order": "RGB", "feature_dim": 8, "classes": 10, "params": 1000, "licence": "MIT", "sha256": "0" * 64}
    put("hub_json", "sound.json", json.dumps([entry, {"file": "b.onnx"}]))
    put("hub_json", "climbs_out.json", json.dumps([{"name": "../../x", "file": "x.pt"}, {"name": "/etc/x", "file": "y.pt"}]))
    put("hub_json", "deep.json", '[{"name": "a", "file": ' + "[" * 5000 + "]" * 5000 + "}]")
    put("hub_json", "wrong.json", json.dumps([1, {"name": 1}, {"file": "a", "std": [0, 1, 2]}, {"file": "a.pt", "sha256": "x"}]))
    model = {"name": "a", "rank": 1, "dim": 8, "consensus": 1.5, "scores": {"logme": {"value": 1.5}, "knn": {"value": None}}}
    rank = {"command": "rank", "models": [model, {**model, "name": "b"}], "metrics": {"logme": {"direction": "higher"}}}
    put("scores", "rank.json", json.dumps(rank))
    put("scores", "table.csv", "name,dataset,group,logme,knn\na,x,g,1,0.5\nb,x,h,2,\na,y,g,3,0.1\n")
    put("scores", "truth.csv", "name,accuracy,params,upstream\na,0.9,1000,0.7\nb,0.8,,\n")
    put("scores", "deep.json", '{"models": ' + "[" * 5000 + "]" * 5000 + "}")
    put("report", "rank.json", json.dumps(rank))
    put("report", "evaluate.json", json.dumps({"truth_column": "accuracy", "metrics": {"logme": {"kendall": 1}}}))
    put("report", "script.json", json.dumps({"command": "rank", "models": [{"name": "</script><!-- \u2028"}]}))
    put("report", "deep.json", '{"command":"rank","models":' + "[" * 5000 + "]" * 5000 + "}")
    put("curve", "sound.csv", "name,seed,samples,val_loss,val_accuracy\na,0,10,0.9,0.5\na,0,20,0.5,\na,1,10,1e3,1\n")
    put("curve", "result.json", json.dumps({"models": [{"name": "a", "va": 0.5}]}))
    put("curve", "epsilons.txt", "0.1, 0.2,1e-3")
    put("curve", "deep.json", '{"models":[{"name":"a","va":' + "[" * 5000 + "]" * 5000 + "}]}")
    probe = {"seed": 0, "n": 10, "loss": 0.5, "accuracy": 0.25, "updates": 7, "converged": True}
    put("journal", "probes.jsonl", json.dumps({"journal_of": "identity"}) + "\n" + json.dumps(probe) + "\n" +
        json.dumps({**probe, "accuracy": None}) + '\n[1]\n{"seed":0\n')
    put("journal", "odd.jsonl", json.dumps({**probe, "loss": 1e308, "n": 2 ** 63}) + "\n" + json.dumps({**probe, "seed": -1}))


def images():
    golden = HERE.parent / "golden" / "images"
    for file in sorted(golden.iterdir()):
        if file.suffix in (".jpg", ".png", ".webp") and file.stat().st_size < 1 << 15:
            put("image", file.name, file.read_bytes())
    put("image", "tiny.png", png(2, 1, b"\0" + bytes(6)))
    put("image", "vast.png", png(11585, 11585, b"", depth=8, colour=6))
    jpeg = (golden / "rgb.jpg").read_bytes()
    put("image", "cut.jpg", jpeg[:len(jpeg) // 2])
    at = jpeg.index(b"\xff\xda")
    put("image", "junk_then_cut.jpg", jpeg[:at] + b"junk" + jpeg[at:len(jpeg) * 2 // 3])


def answers():
    """What the process that reads HDF5 could answer: the question's number, then failed, code, size and so many bytes."""
    def said(name, question, body, failed=0, code=0):
        put("hdf5_answers", name, bytes([question]) + struct.pack("<IIQ", failed, code, len(body)) + body)
    said("names.bin", 0, struct.pack("<qq", 2, 1) + b"x" + struct.pack("<q", 2) + b"yz")
    said("shape.bin", 1, struct.pack("<qqqqq", 1, 0, 2, 3, 2))
    said("integers.bin", 2, struct.pack("<qqqq", 5, 4, 1, 3) + struct.pack("<3i", 0, 1, 0))
    said("text.bin", 2, struct.pack("<qqqq", 13, 3, 1, 2) + b"catdog")
    said("narrow.bin", 2, struct.pack("<qqqq", 2, 1, 1, 4) + b"1234")
    said("rows.bin", 3, floats(1, 2, 3, 4, 5, 6))
    said("failed.bin", 2, b"a.h5: damaged", failed=1, code=1)


arrays()
texts()
images()
answers()
