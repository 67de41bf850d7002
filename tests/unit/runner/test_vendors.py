from datetime import UTC, datetime

import pytest

from runner.money.price_list import entries
from runner.providers.catalog import wire_format
from runner.vendors import (
    ANY_SERVER,
    VENDORS,
    FreeOfCharge,
    OwnServer,
    PricedByName,
    PricedByUrl,
    Vendor,
    accepted_variables,
)

vendors = pytest.mark.parametrize("vendor", VENDORS.values(), ids=lambda it: it.name)
SELLERS = {listed.provider for listed in entries(datetime(2026, 12, 1, tzinfo=UTC))}


@vendors
def test_a_vendor_stands_under_its_name_and_an_id_can_hold_it(vendor: Vendor) -> None:
    assert VENDORS[vendor.name] is vendor
    assert "/" not in vendor.name


@vendors
def test_somebody_speaks_its_wire_format(vendor: Vendor) -> None:
    assert wire_format(vendor.name).headers("k")


@vendors
def test_it_can_be_reached_or_is_started_or_is_named_by_a_config(vendor: Vendor) -> None:
    if vendor.own_server is not None:
        assert vendor.base_url == f"{vendor.name}://"
    elif vendor.base_url is not None:
        assert vendor.base_url.startswith("https://")
        assert vendor.base_url.endswith("/v1") == vendor.base_ends_in_v1
    else:
        assert vendor.other_base_urls


@vendors
def test_who_sells_by_name_stands_in_the_price_table_and_wants_a_key(vendor: Vendor) -> None:
    match vendor.prices:
        case PricedByName(seller):
            assert seller in SELLERS
            assert vendor.key_variable is not None
        case PricedByUrl():
            assert vendor.own_server is None
        case FreeOfCharge(because):
            assert because


def test_each_server_of_ours_is_started_for_one_vendor() -> None:
    started = [vendor.own_server for vendor in VENDORS.values() if vendor.own_server is not None]
    assert sorted(started) == sorted(OwnServer)


def test_any_server_can_be_named_and_sells_for_whom_its_address_says() -> None:
    vendor = VENDORS[ANY_SERVER]
    assert vendor.base_url is None
    assert isinstance(vendor.prices, PricedByUrl)


def test_a_variable_brings_along_what_its_sdk_accepts() -> None:
    assert accepted_variables("GEMINI_API_KEY") == ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    assert accepted_variables("GOOGLE_API_KEY") == ("GOOGLE_API_KEY",)
    assert accepted_variables("MINE") == ("MINE",)


def test_no_field_is_decided_by_leaving_it_out() -> None:
    with pytest.raises(TypeError, match="missing"):
        Vendor(name="toy")  # pyright: ignore[reportCallIssue]
