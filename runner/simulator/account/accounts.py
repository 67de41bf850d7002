"""Keys, and what a provider keeps for each of them: limits, caches, credit."""

import hashlib
from collections.abc import Mapping

from runner.simulator.account.limits import Meter
from runner.simulator.account.prompt_cache import PrefixCache
from runner.simulator.spec.settings import KeySettings, ModelSettings


class SimulatedAccount:
    """One key's limits, a set for each model or group of models, and caches for each model."""

    def __init__(self, name: str, settings: KeySettings) -> None:
        self.name = name
        self.settings = settings
        self._meters: dict[str, Meter] = {}
        self._caches: dict[str, PrefixCache] = {}
        self._running: dict[str, int] = {}

    def meter(self, limited: str, settings: ModelSettings, now_s: float) -> Meter:
        """The limits of a model or group, full at its first request."""
        if limited not in self._meters:
            self._meters[limited] = Meter(settings.limits, now_s)
        return self._meters[limited]

    def cache(self, model: str, settings: ModelSettings) -> PrefixCache | None:
        """The prompt cache of a model, where it has one."""
        if settings.cache is None:
            return None
        if model not in self._caches:
            self._caches[model] = PrefixCache(settings.cache)
        return self._caches[model]

    def running(self, limited: str) -> int:
        """Admitted requests of a model or group that have not ended."""
        return self._running.get(limited, 0)

    def begin(self, limited: str) -> None:
        """Count one more call in flight."""
        self._running[limited] = self.running(limited) + 1

    def end(self, limited: str) -> None:
        """Count one call in flight less."""
        self._running[limited] = self.running(limited) - 1


class Accounts:
    """Finds the account of a request by its key."""

    def __init__(self, keys: Mapping[str, KeySettings]) -> None:
        self._keys = keys
        self._accounts: dict[str, SimulatedAccount] = {}

    def find(self, key: str) -> SimulatedAccount | None:
        """The account; None for a key that is not known, where keys are asked for."""
        if self._keys and key not in self._keys:
            return None
        name = fingerprint(key)
        if name not in self._accounts:
            self._accounts[name] = SimulatedAccount(name, self._keys.get(key, KeySettings()))
        return self._accounts[name]


def fingerprint(key: str) -> str:
    """A short name for a key that does not give it away."""
    return hashlib.blake2b(key.encode(), digest_size=4).hexdigest() if key else "no-key"


def key_of(headers: Mapping[str, str], query: Mapping[str, str]) -> str:
    """The key, wherever one of the three formats carries it."""
    bearer = headers.get("authorization", "")
    if bearer.lower().startswith("bearer "):
        return bearer[7:].strip()
    return headers.get("x-api-key") or headers.get("x-goog-api-key") or query.get("key", "")
