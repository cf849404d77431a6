"""A small network that tells a window of one sensor in a few numbers, trained without labels.

It sees a window of which parts are blanked, and has to tell the whole one, and how rough each
quarter of it is, from its sixteen numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from assistant.core.models.onnx_writer import ModelFile
from assistant.core.models.session import run, session_of_bytes
from benchmarks.sensors.detectors.windows import WINDOW, Embed, Vectors

WIDTH = 16
CHANNELS, SIZES, STRIDE = (16, 24, 24), (7, 5, 5), 2
LEFT = 8
"""Places that the convolutions leave of a window."""
QUARTERS = 4
BLANKED, LONGEST_BLANK = 2, 12
BATCH, STEPS, RATE = 512, 2000, 3e-3


class Network(nn.Module):
    """The encoder, and the decoder that training alone needs; 8,000 weights and 5,000."""

    def __init__(self) -> None:
        super().__init__()
        before = (1, *CHANNELS[:-1])
        self.convolutions = [
            nn.Conv1d(given, made, size, STRIDE, size // 2)
            for given, made, size in zip(before, CHANNELS, SIZES, strict=True)
        ]
        self.layers = nn.ModuleList(self.convolutions)
        self.last = nn.Linear(CHANNELS[-1] * LEFT, WIDTH)
        self.decoder = nn.Sequential(
            nn.Linear(WIDTH, 64), nn.ReLU(), nn.Linear(64, WINDOW + QUARTERS)
        )

    def forward(self, x: Tensor) -> Tensor:
        """The numbers of windows float32[n, WINDOW], float32[n, WIDTH]."""
        x = x[:, None]
        for layer in self.convolutions:
            x = torch.relu(layer(x))
        made: Tensor = self.last(x.flatten(1))
        return made


def train(given: Vectors, seed: int, tell: Callable[[str], None]) -> Network:
    """Train it on windows float32[n, WINDOW]."""
    torch.set_num_threads(1)  # several wait for each other in vain where cores are shared
    torch.manual_seed(seed)
    network, drawn = Network(), torch.Generator().manual_seed(seed)
    every = torch.from_numpy(given)
    optimizer = torch.optim.AdamW(network.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, STEPS)
    total = 0.0
    for step in range(1, STEPS + 1):
        x = every[torch.randint(len(every), (BATCH,), generator=drawn)]
        told = network.decoder(network(_blanked(x, drawn)))
        loss = nn.functional.smooth_l1_loss(told, torch.cat([x, _roughness(x)], 1))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % (STEPS // 5) == 0:
            tell(f"encoder: step {step} of {STEPS}, loss {total / (STEPS // 5):.4f}")
            total = 0.0
    return network


def _blanked(x: Tensor, drawn: torch.Generator) -> Tensor:
    places = torch.arange(WINDOW)[None]
    for _ in range(BLANKED):
        first = torch.randint(WINDOW, (len(x), 1), generator=drawn)
        length = torch.randint(LONGEST_BLANK, (len(x), 1), generator=drawn)
        x = torch.where((places >= first) & (places < first + length), 0.0, x)
    return x


def _roughness(x: Tensor) -> Tensor:
    """The log of the mean step from one value to the next, by quarter."""
    steps = torch.diff(x, dim=1, append=x[:, -1:]).abs()
    return torch.log(steps.reshape(len(x), QUARTERS, -1).mean(2) + 0.01)


def exported(network: Network) -> bytes:
    """The encoder as ONNX with int8 weights: float32[batch, WINDOW] → float32[batch, WIDTH]."""
    model = ModelFile()
    x = model.node("Unsqueeze", ["window", model.constant("one", np.array([1]))], "wide")
    for number, layer in enumerate(network.convolutions):
        weight = _small(model, f"{number}", layer.weight)
        offset = model.constant(f"{number}.bias", layer.state_dict()["bias"].numpy())
        size = layer.kernel_size[0]
        pads = [size // 2, size // 2]
        x = model.node(
            "Conv",
            [x, weight, offset],
            f"{number}.made",
            strides=[STRIDE],
            kernel_shape=[size],
            pads=pads,
        )
        x = model.node("Relu", [x], f"{number}.out")
    x = model.node("Flatten", [x], "flat")
    weight = _small(model, "last", network.last.weight)
    offset = model.constant("last.bias", network.last.state_dict()["bias"].numpy())
    model.node("Gemm", [x, weight, offset], "vector", transB=1)
    return model.serialized(
        {"window": f"float32[batch, {WINDOW}]"}, {"vector": f"float32[batch, {WIDTH}]"}
    )


def _small(model: ModelFile, name: str, weight: Tensor) -> str:
    """Add weights as int8, with a scale for each output; return their name."""
    values = weight.detach().numpy()
    scales = np.maximum(np.abs(values).reshape(len(values), -1).max(1), 1e-9) / 127
    shape = (-1, *[1] * (values.ndim - 1))
    whole = np.round(values / scales.reshape(shape)).astype(np.int8)
    small = model.constant(f"{name}.int8", whole)
    sizes = model.constant(f"{name}.scales", scales.astype(np.float32))
    zeros = model.constant(f"{name}.zero", np.zeros(len(scales), np.int8))
    return model.node("DequantizeLinear", [small, sizes, zeros], f"{name}.weight", axis=0)


def embedding(model: bytes) -> Embed:
    """What runs the exported encoder, in one thread."""
    session = session_of_bytes(model)
    return lambda given: run(session, {"window": given})
