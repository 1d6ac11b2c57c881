"""PyTorch's own forward loop: images per second of a TorchScript file. With `make` as first word it writes
MobileNetV2 (random weights: they do not change the time) as TorchScript and ONNX instead.

    torch_forward.py make FOLDER
    torch_forward.py NETWORK SIZE BATCH THREADS SECONDS
"""
import pathlib
import sys
import time

import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))


def convolution(inputs, outputs, kernel, stride=1, groups=1, active=True):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return layers + ([nn.ReLU6()] if active else [])


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = inputs * expansion
        layers = convolution(inputs, hidden, 1) if expansion > 1 else []
        layers += convolution(hidden, hidden, 3, stride, hidden) + convolution(hidden, outputs, 1, active=False)
        self.layers = nn.Sequential(*layers)
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def mobilenet_v2():
    layers, width = convolution(3, 32, 3, 2), 32
    for expansion, outputs, count, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                              (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(count):
            layers.append(Block(width, outputs, stride if i == 0 else 1, expansion))
            width = outputs
    return nn.Sequential(*layers, *convolution(width, 1280, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000))


def make(folder):
    from export_model import save_onnx, save_torchscript, split_at_head
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    example = torch.randn(2, 3, 128, 128)
    script = torch.jit.script(split_at_head(mobilenet_v2().eval(), None, example))
    save_torchscript(script, folder / "mobilenet_v2.pt", example)
    save_onnx(script, folder / "mobilenet_v2.onnx", example, True, 13)


def images_per_second(file, size, batch, threads, seconds):
    torch.set_num_threads(threads)
    network = torch.jit.load(file).eval()
    images = torch.randn(batch, 3, size, size)
    with torch.no_grad():
        for _ in range(4):
            network(images)
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            network(images)
            count += batch
        return count / (time.perf_counter() - start)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        print(f"{images_per_second(sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])):.1f}")
