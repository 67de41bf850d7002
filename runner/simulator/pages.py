"""What the server shows besides replies: its models, token counts, its bill and its log."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson

from runner.simulator.formats.call import Call, Dialect
from runner.simulator.spec.settings import ModelSettings, SimulatorSettings
from runner.simulator.spec.tokenizer import count_tokens
from runner.simulator.traffic.audit import AuditLog

_CREATED = 1_700_000_000
_CREATED_TEXT = "2023-11-14T22:13:20Z"


def model_json(dialect: Dialect, name: str, settings: ModelSettings) -> dict[str, Any]:
    """One model, as its provider lists it."""
    if dialect == "anthropic":
        return {
            "type": "model",
            "id": name,
            "display_name": f"{name} (simulated)",
            "created_at": _CREATED_TEXT,
        }
    if dialect == "gemini":
        return {
            "name": f"models/{name}",
            "displayName": f"{name} (simulated)",
            "inputTokenLimit": settings.context_window,
            "outputTokenLimit": settings.max_output,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }
    return {
        "id": name,
        "object": "model",
        "created": _CREATED,
        "owned_by": "simulated",
        "max_model_len": settings.context_window,
    }


def models_json(dialect: Dialect, models: Mapping[str, ModelSettings]) -> dict[str, Any]:
    """List all models that this provider has."""
    items = [
        model_json(dialect, name.removeprefix(f"{dialect}/"), settings)
        for name, settings in models.items()
        if "/" not in name or name.startswith(f"{dialect}/")
    ]
    if dialect == "gemini":
        return {"models": items}
    if dialect == "anthropic":
        return {"data": items, "has_more": False, "first_id": None, "last_id": None}
    return {"object": "list", "data": items}


def count_json(dialect: Dialect, call: Call, model: ModelSettings) -> dict[str, Any]:
    """How many tokens a call's prompt would be."""
    tokens = sum(count_tokens(text, model.tokenizer) for _, text in call.turns)
    return {"totalTokens": tokens} if dialect == "gemini" else {"input_tokens": tokens}


def bill_json(log: AuditLog, settings: SimulatorSettings) -> bytes:
    """Write the totals as JSON."""
    return orjson.dumps({"simulated": True, "seed": settings.seed, **asdict(log.bill())})


def log_lines(log: AuditLog) -> bytes:
    """Every request, one JSON object a line."""
    return b"".join(orjson.dumps(entry.to_json()) + b"\n" for entry in log.entries)
