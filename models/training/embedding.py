"""Trains the speech embedding of enrolled wake words and writes it as ONNX, int8 per channel.

The network must tell, for each vector, the phones at six moments within its window, from 96 numbers
by a linear layer each. Which voice, room or microphone it was does not help in that, so the same
words of two voices lie near, as in the bottleneck features of speech recognition (Grézl et al.,
2007, "Probabilistic and Bottle-Neck Features for LVCSR of Meetings").

    features 40 x 77 → convolution → 6 separable convolutions → 96 numbers → 6 x 40 phones
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from assistant.core.models.onnx_writer import ModelFile
from audio.wake.own.embedding import FILE, FRAMES, MODEL, STEP_FRAMES, WIDTH
from audio.wake.own.features import BANDS, STEPS_A_UNIT
from models.training import sounds
from models.training.config import BUILD, MODELS
from models.training.examples import with_file
from models.training.phones import PHONES, SILENCE, UNKNOWN

SEED = 1
TRAINING_S = 420.0
"""Seconds that the training takes; the learning rate falls to nothing in them."""
RATE, RISING = 4e-3, 50
"""Highest learning rate, and the steps in which it rises."""
BATCH, VECTORS = 64, 16
"""Runs of sound in a step, and vectors in each."""
THREADS = 1
SIZE = 5
"""Frames that each convolution looks at."""
LAYERS = ((128, 1), (128, 1), (192, 2), (192, 1), (192, 1), (256, 2))
"""Channels and stride of each separable convolution."""
STEM = 128
AT = (26, 34, 42, 50, 58, 66)
"""The frames of the window whose phones are to be told."""
SILENT = 0.3
"""Weight of silence, of which there is much."""
MASKED_BANDS = 8

log = logging.getLogger(__name__)


class Separable(nn.Module):
    """A convolution of each channel, then of all channels; no padding."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.each = nn.Conv1d(before, before, SIZE, stride, groups=before, bias=False)
        self.each_scale = nn.BatchNorm1d(before)
        self.all = nn.Conv1d(before, after, 1, bias=False)
        self.all_scale = nn.BatchNorm1d(after)
        self.kept = before == after and stride == 1

    def forward(self, x: Tensor) -> Tensor:
        """float[n, before, t] → float[n, after, t']"""
        made = torch.relu(self.all_scale(self.all(self.each_scale(self.each(x)))))
        return made + x[:, :, SIZE // 2 : -(SIZE // 2)] if self.kept else made


class Network(nn.Module):
    """Features, float[n, 40, frames], to vectors, float[n, 96, steps], and these to phones."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv1d(BANDS, STEM, SIZE, 2, bias=False)
        self.stem_scale = nn.BatchNorm1d(STEM)
        sizes = [STEM, *(channels for channels, _ in LAYERS)]
        self.layers = nn.ModuleList(
            Separable(before, after, stride)
            for before, (after, stride) in zip(sizes, LAYERS, strict=False)
        )
        self.last = nn.Conv1d(sizes[-1], WIDTH, 1, bias=False)
        self.last_scale = nn.BatchNorm1d(WIDTH, affine=False)
        self.phones = nn.Conv1d(WIDTH, len(AT) * len(PHONES), 1)

    def vectors(self, x: Tensor) -> Tensor:
        """The embedding."""
        x = torch.relu(self.stem_scale(self.stem(x)))
        for layer in self.layers:
            x = layer(x)
        return self.last_scale(self.last(x))

    def forward(self, x: Tensor) -> Tensor:
        """Log-odds as float[n, phones, moments, steps]."""
        found = self.phones(nn.functional.dropout(self.vectors(x), 0.1, self.training))
        return found.unflatten(1, (len(AT), len(PHONES))).transpose(1, 2)


def run(models: Path = MODELS) -> None:
    """Make the examples, train, and write the embedding beside the manifest."""
    sounds.build(BUILD / "embedding")
    network = trained(BUILD / "embedding")
    file = models / MODEL / FILE
    file.write_bytes(onnx(network))
    manifest = models / "manifest.toml"
    manifest.write_text(with_file(manifest.read_text("utf-8"), MODEL, file), "utf-8")


def trained(folder: Path) -> Network:
    """A network that was trained on the examples in `folder`; the last file measures it."""
    torch.manual_seed(SEED)
    torch.set_num_threads(THREADS)
    files = sorted(folder.glob("*.npz"))
    arrays = [np.load(file) for file in files]
    held = _tensors(arrays[-1]["features"], arrays[-1]["phones"])
    heard, phones = _tensors(
        *(np.concatenate([a[name] for a in arrays[:-1]]) for name in ("features", "phones"))
    )
    log.info("%.1f hours", len(heard) / 360_000)
    network = Network()
    weights = torch.ones(len(PHONES))
    weights[SILENCE] = SILENT
    loss = nn.CrossEntropyLoss(weights, ignore_index=UNKNOWN)
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=0.02)
    began, step, share = time.monotonic(), 0, 0.0
    while share < 1:
        rising = min(1.0, step / RISING)
        optimizer.param_groups[0]["lr"] = RATE * rising * (1 - share) + 1e-6
        x, wanted = _batch(heard, phones)
        slope = loss(network(_varied(x)), wanted)
        optimizer.zero_grad()
        slope.backward()
        optimizer.step()
        step += 1
        share = (time.monotonic() - began) / TRAINING_S
        if step % 100 == 0 or share >= 1:
            log.info("step %d, loss %.3f, held out %.3f", step, slope.item(), _right(network, held))
    return network.eval()


def _tensors(heard: np.ndarray, phones: np.ndarray) -> tuple[Tensor, Tensor]:
    return torch.from_numpy(heard), torch.from_numpy(phones)


def _batch(heard: Tensor, phones: Tensor) -> tuple[Tensor, Tensor]:
    frames = FRAMES + STEP_FRAMES * (VECTORS - 1)
    starts = torch.randint(len(heard) - frames, (BATCH, 1))
    x = heard[starts + torch.arange(frames)].float() / STEPS_A_UNIT
    moments = torch.tensor(AT)[:, None] + STEP_FRAMES * torch.arange(VECTORS)
    return x.transpose(1, 2), phones[starts[:, :, None] + moments].long()


def _varied(x: Tensor) -> Tensor:
    """`x` with another gain, noise and without some of its bands."""
    x = x * (1 + 0.1 * torch.randn(len(x), 1, 1)) + 0.5 * torch.randn(len(x), BANDS, 1)
    first = torch.randint(BANDS, (len(x), 1, 1))
    width = torch.randint(MASKED_BANDS, (len(x), 1, 1))
    bands = torch.arange(BANDS)[None, :, None]
    return torch.where((bands >= first) & (bands < first + width), x.mean(), x)


@torch.no_grad()
def _right(network: Network, held: tuple[Tensor, Tensor]) -> float:
    """Share of the phones, other than silence, that are told rightly of voices in new noise."""
    network.eval()
    x, wanted = _batch(*held)
    found = network(x).argmax(1)
    network.train()
    spoken = (wanted != SILENCE) & (wanted != UNKNOWN)
    return float((found == wanted)[spoken].float().mean())


def onnx(network: Network) -> bytes:
    """The embedding as ONNX: float32[n, frames, 40] → float32[n, steps, 96]."""
    model = ModelFile()
    x = model.node("Transpose", ["features"], "bands", perm=[0, 2, 1])
    x = _convolution(model, "stem", x, network.stem, network.stem_scale)
    x = model.node("Relu", [x], "stem.out")
    size = (
        model.constant("crop.start", np.array([SIZE // 2])),
        model.constant("crop.end", np.array([-(SIZE // 2)])),
    )
    axis = model.constant("crop.axis", np.array([2]))
    for n, layer in enumerate(network.layers):
        made = _convolution(model, f"{n}.each", x, layer.each, layer.each_scale)
        made = _convolution(model, f"{n}.all", made, layer.all, layer.all_scale)
        made = model.node("Relu", [made], f"{n}.relu")
        if layer.kept:
            same = model.node("Slice", [x, *size, axis], f"{n}.same")
            made = model.node("Add", [made, same], f"{n}.out")
        x = made
    x = _convolution(model, "last", x, network.last, network.last_scale)
    model.node("Transpose", [x], "vectors", perm=[0, 2, 1])
    return model.serialized(
        {"features": f"float32[batch, frames, {BANDS}]"},
        {"vectors": f"float32[batch, steps, {WIDTH}]"},
    )


def _convolution(
    model: ModelFile, name: str, x: str, layer: nn.Conv1d, scale: nn.BatchNorm1d
) -> str:
    """Add a convolution with its normalisation, the weights as int8; return its output."""
    factor = (scale.running_var + scale.eps).rsqrt()
    factor = factor if scale.weight is None else factor * scale.weight
    bias = -scale.running_mean * factor + (0 if scale.bias is None else scale.bias)
    weight = (layer.weight * factor[:, None, None]).detach().numpy()
    steps = np.maximum(np.abs(weight).max(axis=(1, 2)), 1e-9) / 127
    whole = np.round(weight / steps[:, None, None]).astype(np.int8)
    small = model.constant(f"{name}.int8", whole)
    sizes = model.constant(f"{name}.steps", steps.astype(np.float32))
    zeros = model.constant(f"{name}.zero", np.zeros(len(steps), np.int8))
    wide = model.node("DequantizeLinear", [small, sizes, zeros], f"{name}.weight", axis=0)
    offset = model.constant(f"{name}.bias", bias.detach().numpy().astype(np.float32))
    return model.node(
        "Conv",
        [x, wide, offset],
        f"{name}.made",
        group=layer.groups,
        strides=[layer.stride[0]],
        kernel_shape=[layer.kernel_size[0]],
    )
