"""The short names of options in announcements, of those options that are read here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_PARTS = {
    "bri": "brightness",
    "clr_temp": "color_temp",
    "hs": "hs",
    "mode": "mode",
    "pct": "percentage",
    "pr_mode": "preset_mode",
    "rgb": "rgb",
    "temp": "temperature",
    "xy": "xy",
}
"""Parts of a device that are set and told on topics of their own."""
_TOLD = {
    "act": "action",
    "avty": "availability",
    "curr_temp": "current_temperature",
    "pos": "position",
    "set_pos": "set_position",
}
"""What has one topic, and one template."""
_PART_ENDS = {
    "_cmd_t": "_command_topic",
    "_cmd_tpl": "_command_template",
    "_stat_t": "_state_topic",
    "_stat_tpl": "_state_template",
    "_val_tpl": "_value_template",
}
_TOLD_ENDS = {"_t": "_topic", "_tpl": "_template"}


def _composed(names: Mapping[str, str], ends: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for short, name in names.items():
        for end, full in ends.items():
            yield short + end, name + full


COMPONENT: Mapping[str, str] = {
    **dict(_composed(_PARTS, _PART_ENDS)),
    **dict(_composed(_TOLD, _TOLD_ENDS)),
    "avty": "availability",
    "avty_mode": "availability_mode",
    "bri_scl": "brightness_scale",
    "clr_temp_k": "color_temp_kelvin",
    "cmd_t": "command_topic",
    "cmd_tpl": "command_template",
    "cmps": "components",
    "cod_form": "code_format",
    "def_ent_id": "default_entity_id",
    "dev": "device",
    "dev_cla": "device_class",
    "en": "enabled_by_default",
    "ent_cat": "entity_category",
    "o": "origin",
    "obj_id": "object_id",
    "on_cmd_type": "on_command_type",
    "p": "platform",
    "pl_avail": "payload_available",
    "pl_cls": "payload_close",
    "pl_lock": "payload_lock",
    "pl_not_avail": "payload_not_available",
    "pl_off": "payload_off",
    "pl_on": "payload_on",
    "pl_open": "payload_open",
    "pl_prs": "payload_press",
    "pl_stop": "payload_stop",
    "pl_unlk": "payload_unlock",
    "pos_clsd": "position_closed",
    "pos_open": "position_open",
    "ret": "retain",
    "spd_rng_max": "speed_range_max",
    "spd_rng_min": "speed_range_min",
    "stat_clsd": "state_closed",
    "stat_closing": "state_closing",
    "stat_jam": "state_jammed",
    "stat_locked": "state_locked",
    "stat_locking": "state_locking",
    "stat_off": "state_off",
    "stat_on": "state_on",
    "stat_open": "state_open",
    "stat_opening": "state_opening",
    "stat_stopped": "state_stopped",
    "stat_t": "state_topic",
    "stat_tpl": "state_template",
    "stat_unlocked": "state_unlocked",
    "stat_unlocking": "state_unlocking",
    "stat_val_tpl": "state_value_template",
    "sup_clrm": "supported_color_modes",
    "t": "topic",
    "uniq_id": "unique_id",
    "unit_of_meas": "unit_of_measurement",
    "val_tpl": "value_template",
}
"""Short name of a component's option → its full name."""
DEVICE: Mapping[str, str] = {"ids": "identifiers", "sa": "suggested_area"}
ORIGIN: Mapping[str, str] = {"sw": "sw_version", "url": "support_url"}
