"""The messages of `hub.proto`, as classes that are made at the start from its descriptor.

Classes that the compiler writes would run with some versions of protobuf alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from pydantic import BaseModel, ValidationError

from assistant.core.errors import InputError
from assistant.hub.schema import flaws

DESCRIPTOR = Path(__file__).parents[1] / "hub.binpb"
HUB, HEALTH = "hark.hub.v1", "grpc.health.v1"

_Model = TypeVar("_Model", bound=BaseModel)


def _classes() -> Mapping[str, Any]:
    """Name → class of each message of ours and of the health service."""
    pool, names = DescriptorPool(), list[str]()
    for file in FileDescriptorSet.FromString(DESCRIPTOR.read_bytes()).file:
        pool.AddSerializedFile(file.SerializeToString())
        if file.package in (HUB, HEALTH):
            names += [f"{file.package}.{message.name}" for message in file.message_type]
    types = (pool.FindMessageTypeByName(name) for name in names)
    return {one.name: GetMessageClass(one) for one in types}


CLASSES = _classes()


def checked(message: Any, model: type[_Model]) -> _Model:
    """A message as a value of the schema; raises `InputError` for what that does not allow."""
    return validated(MessageToDict(message, preserving_proto_field_name=True), model)


def validated(fields: Mapping[str, Any], model: type[_Model]) -> _Model:
    """The fields of a message as a value of the schema; raises as `checked`."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        # Without what was given, which pydantic's own text has.
        told = flaws(error.errors(include_url=False, include_input=False))
        raise InputError("hub.request", told) from None


def message_of(name: str, value: BaseModel) -> Any:
    """A value of the schema as the message of that name."""
    return ParseDict(value.model_dump(), CLASSES[name]())


def message_in(name: str, content: bytes) -> Any:
    """The message of that name in bytes; None where they are none, of which gRPC makes a fault."""
    try:
        return CLASSES[name].FromString(content)
    except DecodeError:
        return None
