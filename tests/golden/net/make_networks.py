#!/usr/bin/env python3
"""Makes the files of this folder (needs PyTorch; 1.13 made the stored ones): a network of 131 parameters as
TorchScript and ONNX, three images, and what eager PyTorch computes for them."""
import pathlib
import sys

import numpy
import torch
from torch import nn

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[2] / "tools"))
from export_model import save_onnx  # noqa: E402


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 4, 3, stride=2, bias=False)
        self.normal = nn.BatchNorm2d(4)
        self.classifier = nn.Linear(4, 3)

    @torch.jit.export
    def early(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.normal(self.convolution(x)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.early(x).mean([2, 3])

    @torch.jit.export
    def head(self, f: torch.Tensor) -> torch.Tensor:
        return self.classifier(f)

    @torch.jit.export
    def logits(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.forward(x))


class Fixed(nn.Module):
    """Its linear layer fits images of 8 x 8 only."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(192, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x.flatten(1))


class Padded(nn.Module):
    """Pads as TensorFlow does, by what the size needs: 0 and 1 for even sizes, 1 and 1 for odd ones."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3, stride=2)
        self.second = nn.Conv2d(4, 4, 3, groups=4)

    def same(self, x: torch.Tensor, stride: int) -> torch.Tensor:
        rows = max((-(-x.size(2) // stride) - 1) * stride + 3 - x.size(2), 0)
        columns = max((-(-x.size(3) // stride) - 1) * stride + 3 - x.size(3), 0)
        return nn.functional.pad(x, [columns // 2, columns - columns // 2, rows // 2, rows - rows // 2])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.first(self.same(x, 2)))
        return self.second(self.same(x, 1)).flatten(1)


def main():
    torch.manual_seed(7)
    network = Tiny()
    with torch.no_grad():
        network.normal.running_mean.normal_(0, 0.1)
        network.normal.running_var.uniform_(0.5, 2)
        network.normal.weight.normal_(1, 0.3)
        network.normal.bias.normal_(0, 0.3)
        images = torch.randn(3, 3, 8, 8)
        network.eval()
        numpy.save(FOLDER / "images.npy", images.numpy())
        numpy.save(FOLDER / "features.npy", network(images).numpy())
        numpy.save(FOLDER / "logits.npy", network.logits(images).numpy())
        numpy.save(FOLDER / "early.npy", network.early(images).flatten(1).numpy())
        script = torch.jit.script(network.train())  # saved in train mode: opening must change that
        script.save(str(FOLDER / "tiny.pt"))
        save_onnx(script.eval(), FOLDER / "tiny.onnx", images, True, 13)
        padded = Padded().eval()
        torch.jit.script(padded).save(str(FOLDER / "padded.pt"))
        save_onnx(torch.jit.script(padded), FOLDER / "padded.onnx", torch.randn(2, 3, 8, 8), False, 13)
        for height, width in [(8, 8), (9, 8), (7, 7)]:
            images = torch.randn(2, 3, height, width)
            numpy.save(FOLDER / f"padded_images_{height}x{width}.npy", images.numpy())
            numpy.save(FOLDER / f"padded_features_{height}x{width}.npy", padded(images).numpy())
        torch.jit.script(Fixed()).save(str(FOLDER / "fixed.pt"))


main()
