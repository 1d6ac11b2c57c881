#!/usr/bin/env python3
"""Turns a PyTorch network into what `assay` runs: a TorchScript or ONNX file whose features and source
logits are named outputs, and its entry in hub.json.

  tools/export_model.py torchvision:resnet18 --out hub/
  tools/export_model.py timm:convnext_tiny --out hub/ --input-size 224 --licence Apache-2.0
  tools/export_model.py hf:google/vit-base-patch16-224 --out hub/      (a name or a folder of Hugging Face)
  tools/export_model.py my_code.py:make_network --out hub/ --name mine --weights mine.pth
  tools/export_model.py network.pt --out hub/ --format onnx        (TorchScript with forward and logits)

The network is split at its last linear layer (or at --head NAME): what goes in are the features, what
comes out the source logits. --no-head takes its output as features. Networks that give several outputs (a tuple, or
an output of Hugging Face) name the one that is meant with --output. Every file is read back and compared with the
network before hub.json mentions it. How images are to be resized, cut and normalised comes from the library: timm's
data configuration, the transforms of torchvision's weights, the image processor of Hugging Face.
"""
import argparse
import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import pathlib
import sys
import tempfile

import torch
from torch import nn

from export_preprocessing import chosen_preprocessing, fail, imported, preprocessing_of

TOLERANCE = 1e-4  # relative to the largest value: fused operators round differently


class Split(nn.Module):
    """forward(x) -> features, logits(x) -> source logits, head(f) -> logits of given features."""

    def __init__(self, backbone, classifier):
        super().__init__()
        self.backbone = backbone
        self.classifier = classifier

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.flatten(self.backbone(x), 1)

    @torch.jit.export
    def head(self, f: torch.Tensor) -> torch.Tensor:
        return self.classifier(f)

    @torch.jit.export
    def logits(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.forward(x))


class Chosen(nn.Module):
    """One output of several, by name or index."""

    def __init__(self, network, key):
        super().__init__()
        self.network = network
        self.key = key

    def forward(self, x: torch.Tensor):
        found = self.network(x)
        return found[self.key]


class Both(nn.Module):
    """Features and logits as the two outputs of one graph; `network` may be TorchScript."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x: torch.Tensor):
        return self.network(x), self.network.logits(x)


class Chained(nn.Module):
    """The same where logits(x) is head(forward(x)): the network is in the graph once for certain."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x: torch.Tensor):
        f = self.network(x)
        return f, self.network.head(f)


def load_source(source, weights, random):
    """The network a SOURCE names, in eval mode."""
    kind, _, name = source.partition(":")
    if kind == "torchvision":
        module = imported("torchvision.models").get_model(name, weights=None if weights or random else "DEFAULT")
    elif kind == "timm":
        module = imported("timm").create_model(name, pretrained=not (weights or random))
    elif kind == "hf":
        module = load_hugging_face(imported("transformers"), name)
    elif kind.endswith(".py") and name:
        spec = importlib.util.spec_from_file_location("exported_source", kind)
        code = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(code)
        module = getattr(code, name)()
    elif pathlib.Path(source).is_file():
        module = torch.jit.load(source, map_location="cpu")
    else:
        fail(f"'{source}' is neither torchvision:NAME, timm:NAME, FILE.py:FUNCTION nor a TorchScript file")
    if weights:
        state = torch.load(weights, map_location="cpu")
        module.load_state_dict(state.get("state_dict", state))
    return module.eval()


def load_hugging_face(transformers, name):
    """With its classes where it has some, else its body."""
    config = transformers.AutoConfig.from_pretrained(name)
    classifies = any("ForImageClassification" in kind for kind in config.architectures or [])
    return (transformers.AutoModelForImageClassification if classifies else transformers.AutoModel).from_pretrained(name)


def choose_output(module, example, wanted):
    """A network of one output; `wanted` is a name or an index where it gives several."""
    found = module(example)
    if isinstance(found, torch.Tensor):
        if wanted is not None:
            fail(f"--output {wanted}: the network gives one output")
        return module
    keys = list(found.keys()) if hasattr(found, "keys") else list(range(len(found)))
    if wanted is None:
        usual = [key for key in ("logits", "pooler_output") if key in keys]
        if not usual:
            fail(f"the network gives several outputs ({', '.join(map(str, keys))}); name one with --output")
        wanted = usual[0]
    key = int(wanted) if str(wanted).isdigit() and not hasattr(found, "keys") else wanted
    if key not in keys:
        fail(f"--output {wanted}: the network gives {', '.join(map(str, keys))}")
    if not isinstance(found[key], torch.Tensor):
        fail(f"--output {wanted}: is a {type(found[key]).__name__}, no tensor")
    return Chosen(module, key).eval()


def parent_of(module, name):
    path, _, last = name.rpartition(".")
    return (module.get_submodule(path) if path else module), last


def split_at_head(module, head_name, example):
    """Replaces the head by the identity and checks that nothing follows it."""
    if head_name is None:
        linear = [name for name, part in module.named_modules() if isinstance(part, nn.Linear)]
        if not linear:
            fail("the network has no linear layer; name its head with --head, or use --no-head")
        head_name = linear[-1]
    expected = module(example)
    parent, last = parent_of(module, head_name)
    if not hasattr(parent, last):
        fail(f"--head {head_name}: the network has no such part")
    head = getattr(parent, last)
    setattr(parent, last, nn.Identity())
    split = Split(module, head).eval()
    try:
        found = split.logits(example)
    except RuntimeError as error:
        fail(f"'{head_name}' is not the head: {error}")
    if found.shape != expected.shape or difference(found, expected) > TOLERANCE:
        fail(f"'{head_name}' is not the last layer, its output is changed afterwards; use --head or --no-head")
    return split


def difference(found, expected):
    return float((found - expected).abs().max() / expected.abs().max().clamp_min(1e-12))


def as_torchscript(split, example):
    """Scripted where TorchScript understands the code, traced for this input size where not."""
    try:
        return torch.jit.script(split), ""
    except Exception as error:  # torch raises many kinds
        print(f"export_model: cannot be scripted ({str(error).splitlines()[0]}); traced instead", file=sys.stderr)
    split.backbone = torch.jit.trace(split.backbone, example)
    return torch.jit.script(split), "traced: other input sizes than this one are not certain to work"


@contextlib.contextmanager
def written_atomically(path):
    """A temporary name beside `path`, renamed to it when all went well."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        yield name
        os.chmod(name, 0o644)  # mkstemp's files are private
        os.replace(name, path)
    finally:
        if os.path.exists(name):
            os.unlink(name)


def save_torchscript(script, path, example):
    with written_atomically(path) as temporary:
        script.save(temporary)
        again = torch.jit.load(temporary).eval()
        worst = max(difference(again(example), script(example)), difference(again.logits(example), script.logits(example)))
        if worst > TOLERANCE:
            fail(f"{path}: read back, it differs by {worst:.1e}")


def pad_with_explicit_zeros(graph):
    """ONNX Runtime makes padding a part of the convolution only where it says that it pads with zeros."""
    for pad in graph.findAllNodes("aten::pad"):
        value = list(pad.inputs())[3]
        if value.node().kind() == "prim::Constant" and value.toIValue() is None:
            zero = graph.insertConstant(0.0)
            zero.node().moveBefore(pad)
            pad.replaceInput(3, zero)


def divide_without_negatives(graph):
    """Python's a // b rounds down, ONNX's division of integers towards zero, and the exporter of PyTorch 1.13 takes
    one for the other: -(-9 // 2) would be 4. (a + k b) // b - k is the same in both."""
    far = 1 << 20  # beyond any size of an image
    for division in graph.findAllNodes("aten::floordiv"):
        a, b = division.inputs()
        if str(division.output().type()) != "int":
            continue

        def step(kind, left, right):
            node = graph.create(kind, [left, right], 1)
            node.output().setType(torch._C.IntType.get())
            node.insertBefore(division)
            return node.output()

        constant = graph.insertConstant(far)
        constant.node().moveBefore(division)
        sum_of_both = step("aten::add", a, step("aten::mul", b, constant))
        division.output().replaceAllUsesWith(step("aten::sub", step("aten::floordiv", sum_of_both, b), constant))
        division.destroy()


def for_onnx(script):
    """The network as one graph, without what ONNX or ONNX Runtime would take amiss."""
    frozen = torch.jit.freeze(script)
    with contextlib.suppress(AttributeError):  # not public functions
        torch._C._jit_pass_cse(frozen.graph)
        pad_with_explicit_zeros(frozen.graph)
        divide_without_negatives(frozen.graph)
    return frozen


def with_both_outputs(script, example):
    """-> TorchScript that gives features and logits of the network, with what they share in it once."""
    if hasattr(script, "head"):
        with contextlib.suppress(RuntimeError):  # a head of another kind
            if difference(script.head(script(example)), script.logits(example)) <= TOLERANCE:
                return torch.jit.script(Chained(script).eval())
    return torch.jit.script(Both(script).eval())


def save_onnx(script, path, example, has_logits, opset, any_size=True):
    graph = for_onnx(with_both_outputs(script, example) if has_logits else script)
    names = ["features", "logits"] if has_logits else ["features"]
    axes = {name: {0: "images"} for name in ["images", *names]}
    if any_size:
        axes["images"].update({2: "height", 3: "width"})
    arguments = dict(input_names=["images"], output_names=names, dynamic_axes=axes, opset_version=opset)
    if int(torch.__version__.split(".")[0]) >= 2:
        arguments["dynamo"] = False  # the exporter that reads TorchScript
    with written_atomically(path) as temporary:
        with torch.no_grad():
            torch.onnx.export(graph, (example,), temporary, **arguments)
        compare_onnx(temporary, path, script, example, has_logits)


def compare_onnx(file, path, script, example, has_logits):
    try:
        runtime = importlib.import_module("onnxruntime")
    except ImportError:
        print(f"export_model: {path}: not compared, Python has no onnxruntime; `assay hub check` runs it", file=sys.stderr)
        return
    found = runtime.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, {"images": example.numpy()})
    expected = [script(example)] + ([script.logits(example)] if has_logits else [])
    worst = max(difference(torch.from_numpy(f), e) for f, e in zip(found, expected))
    if worst > TOLERANCE:
        fail(f"{path}: read back, it differs by {worst:.1e}")


def add_to_hub(out, entries):
    """Replaces entries of the same name, keeps all others."""
    path = out / "hub.json"
    known = json.loads(path.read_text()) if path.exists() else []
    names = {entry["name"] for entry in entries}
    known = [entry for entry in known if entry.get("name") not in names] + entries
    with written_atomically(path) as temporary:
        pathlib.Path(temporary).write_text(json.dumps(known, indent=1) + "\n")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="torchvision:NAME, timm:NAME, FILE.py:FUNCTION or a TorchScript file")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="the hub's folder")
    parser.add_argument("--name", help="of the network (default: from the source)")
    parser.add_argument("--weights", help="state_dict to load instead of the published weights")
    parser.add_argument("--random", action="store_true", help="random weights, to try things without a download")
    parser.add_argument("--output", help="name or index of the output that is meant, where the network gives several")
    parser.add_argument("--format", default="torchscript", help="torchscript (default), onnx, or both with a comma: two rows of a ranking")
    parser.add_argument("--input-size", type=int, help="side of the images (default: what timm says, else 224)")
    parser.add_argument("--input-scale", type=float)
    parser.add_argument("--interpolation", choices=["bilinear", "bicubic"])
    parser.add_argument("--crop-pct", type=float, help="share of the resized image's shorter side that is cut out; 0: squeeze it whole")
    parser.add_argument("--mean", type=float, nargs=3)
    parser.add_argument("--std", type=float, nargs=3)
    parser.add_argument("--channel-order", choices=["RGB", "BGR"], default="RGB")
    parser.add_argument("--head", help="the part that turns features into logits (default: the last linear layer)")
    parser.add_argument("--no-head", action="store_true", help="the output is the features; no source classes")
    parser.add_argument("--opset", type=int, default=13, help="of ONNX")
    parser.add_argument("--licence", default="")
    parser.add_argument("--notes", default="")
    args = parser.parse_args()
    args.formats = args.format.split(",")
    if not set(args.formats) <= {"torchscript", "onnx"}:
        fail(f"--format {args.format}: expected torchscript, onnx or both, comma-separated")
    return args


def split_source(args, module, example):
    """-> the network as TorchScript, whether it has source logits, a note."""
    if isinstance(module, torch.jit.ScriptModule):
        return module, not args.no_head and hasattr(module, "logits"), ""
    if args.no_head:
        split = Split(module, nn.Identity()).eval()
    else:
        split = split_at_head(module, args.head, example)
    script, note = as_torchscript(split, example)
    return script, not args.no_head, note


def main():
    args = parse_arguments()
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    module = load_source(args.source, args.weights, args.random)
    images = chosen_preprocessing(args, preprocessing_of(args.source, module))
    args.input_size = images["input_size"]
    example = torch.randn(2, 3, args.input_size, args.input_size)
    if not isinstance(module, torch.jit.ScriptModule):
        module = choose_output(module, example, args.output)
    script, has_logits, note = split_source(args, module, example)
    name = args.name or pathlib.Path(args.source.rpartition(":")[2]).stem
    args.out.mkdir(parents=True, exist_ok=True)
    entries = []
    for kind in args.formats:
        both = len(args.formats) > 1
        path = args.out / (f"{name}.pt" if kind == "torchscript" else f"{name}.onnx")
        if kind == "torchscript":
            save_torchscript(script, path, example)
        else:
            save_onnx(script, path, example, has_logits, args.opset, any_size=not note)
        entries.append({
            "name": f"{name}_onnx" if both and kind == "onnx" else name,
            "file": path.name, "backend": kind, **images, "channel_order": args.channel_order,
            "feature_output": "forward" if kind == "torchscript" else "features",
            "feature_dim": int(script(example).shape[1]),
            "classes": int(script.logits(example).shape[1]) if has_logits else 0,
            "params": sum(p.numel() for p in script.parameters()),
            "licence": args.licence, "notes": "; ".join(filter(None, [args.notes, note])),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest()})
        if has_logits:
            entries[-1]["logits_output"] = "logits"
        print(f"export_model: {path}")
    add_to_hub(args.out, entries)


if __name__ == "__main__":
    main()
