#!/usr/bin/env python3
"""Makes the files of this folder (needs PyTorch; 1.13 made the stored ones).

tiny.json: forward, backward and ten steps of SGD of ../net/tiny.pt, by autograd and torch.optim.
sgd.json:  torch.optim.SGD on a quadratic, with and without Nesterov; its schedulers.
losses.json: cross-entropy, distillation and the task prior's objective with their gradients.
"""
import json
import pathlib

import numpy
import torch

FOLDER = pathlib.Path(__file__).resolve().parent
NET = FOLDER.parent / "net"


def listed(tensor):
    return tensor.detach().double().flatten().tolist()


def tiny():
    """The network with a head of its own: features, gradients, losses, weights after ten steps."""
    torch.manual_seed(5)
    network = torch.jit.load(str(NET / "tiny.pt"))
    images = torch.from_numpy(numpy.load(NET / "images.npy"))
    outer = torch.randn(3, 4)
    out = {"outer": listed(outer)}
    names = [name for name, _ in network.named_parameters()]
    out["parameters"] = [[name, p.numel()] for name, p in network.named_parameters()]
    out["buffers"] = [[name, b.numel()] for name, b in network.named_buffers()]
    for mode in ("train", "eval"):
        network.train(mode == "train")
        network.zero_grad()
        pixels = images.clone().requires_grad_(True)
        features = network(pixels)
        features.backward(outer)
        out[mode] = {"features": listed(features), "pixels": listed(pixels.grad),
                     "gradient": [None if p.grad is None else listed(p.grad) for p in network.parameters()],
                     "running_mean": listed(dict(network.named_buffers())["normal.running_mean"])}
    out["names"] = names
    network = torch.jit.load(str(NET / "tiny.pt"))
    for p in network.parameters():
        p.requires_grad_(True)
    network.train()
    head = torch.nn.Linear(4, 2)
    with torch.no_grad():
        head.weight.copy_(torch.tensor([[0.1, -0.2, 0.3, 0.0], [0.0, 0.2, -0.1, 0.4]]))
        head.bias.zero_()
    out["labels"] = [0, 1, 1]
    optimiser = torch.optim.SGD([{"params": network.parameters()},
                                 {"params": head.parameters(), "lr": 0.2}],
                                lr=0.02, momentum=0.9, nesterov=True, weight_decay=5e-4)
    out["losses"] = []
    for _ in range(10):
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(head(network(images)), torch.tensor(out["labels"]))
        loss.backward()
        optimiser.step()
        out["losses"].append(loss.item())
    out["final_parameters"] = [v for p in network.parameters() for v in listed(p)]
    out["final_head"] = listed(head.weight) + listed(head.bias)
    return out


def sgd():
    """p' diag(1..4) p / 2 - sum p from a fixed start."""
    out = {}
    for nesterov in (True, False):
        p = torch.tensor([1.0, -2.0, 0.5, 3.0], requires_grad=True)
        optimiser = torch.optim.SGD([p], lr=0.05, momentum=0.9, nesterov=nesterov, weight_decay=0.01)
        path = []
        for _ in range(6):
            optimiser.zero_grad()
            (0.5 * (torch.arange(1.0, 5.0) * p * p).sum() - p.sum()).backward()
            optimiser.step()
            path.append(listed(p))
        out["nesterov" if nesterov else "plain"] = path
    for name, make in (("cosine", lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 9)),
                       ("step", lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [6], 0.1))):
        optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        scheduler = make(optimiser)
        rates = []
        for _ in range(9):
            rates.append(optimiser.param_groups[0]["lr"])
            optimiser.step()
            scheduler.step()
        out[name] = rates
    return out


def losses():
    torch.manual_seed(7)
    out = {}
    logits = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([2, 0, 1, 2])
    loss = torch.nn.functional.cross_entropy(logits, labels)
    loss.backward()
    out["cross_entropy"] = {"logits": listed(logits), "labels": labels.tolist(), "loss": loss.item(),
                            "gradient": listed(logits.grad)}
    features = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    teachers = [torch.randn(5, 2).double(), torch.randn(5, 4).double()]
    maps = [torch.randn(2, 3).float().double().requires_grad_(True),
            torch.randn(4, 3).float().double().requires_grad_(True)]
    loss = sum(((t - features @ w.T) ** 2).sum(1).mean() / (t ** 2).sum(1).mean()
               for t, w in zip(teachers, maps)) / 2
    loss.backward()
    out["distill"] = {"features": listed(features), "teachers": [listed(t.float()) for t in teachers],
                      "maps": [listed(w) for w in maps], "loss": loss.item(),
                      "by_features": listed(features.grad), "by_maps": [listed(w.grad) for w in maps]}

    def kernel(samples):
        unit = samples / samples.norm(dim=1, keepdim=True)
        centred = unit - unit.mean(0)
        return centred @ centred.T

    features = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    weights, temperature = [0.7, 0.3], 0.4
    prior = sum(w * kernel(t) for w, t in zip(weights, teachers))
    edges = torch.sigmoid(prior / temperature)
    model = kernel(features)
    mean = (model * edges).sum()
    variance = (model ** 2 * edges * (1 - edges)).sum()
    loss = (variance.sqrt() - mean) / 25
    loss.backward()
    off = torch.stack([prior[i, j].abs() for i in range(5) for j in range(i)]).sort().values
    out["prior"] = {"features": listed(features), "weights": weights, "temperature": temperature,
                    "loss": loss.item(), "gradient": listed(features.grad), "median": off[5].item()}
    return out


def main():
    for name, value in (("tiny", tiny()), ("sgd", sgd()), ("losses", losses())):
        (FOLDER / f"{name}.json").write_text(json.dumps(value) + "\n")


if __name__ == "__main__":
    main()
