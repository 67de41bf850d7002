import asyncio

from runner.providers.http.alarms import Alarms


async def late(alarms: Alarms, after_s: float, *, moved_to_s: float | None = None) -> str:
    """Waits for ever; says whether its own alarm ended it."""
    now = asyncio.get_running_loop().time()
    alarm = alarms.start(now + after_s)
    if moved_to_s is not None:
        alarms.move(alarm, now + moved_to_s)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        if not alarm.is_ours():
            raise
        return "rang"
    finally:
        alarms.stop(alarm)
    return "never"


async def test_alarms_ring_in_any_order_of_setting():
    alarms = Alarms()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(late(alarms, wait)) for wait in (0.03, 0.01, 0.0, 0.02)]
    assert [task.result() for task in tasks] == ["rang"] * 4
    assert len(alarms) == 0


async def test_alarm_can_be_moved_both_ways():
    alarms = Alarms()
    assert await late(alarms, 3600, moved_to_s=0.01) == "rang"
    assert await late(alarms, 0.01, moved_to_s=0.02) == "rang"


async def test_stopped_alarm_never_rings():
    alarms = Alarms()
    now = asyncio.get_running_loop().time()
    alarm = alarms.start(now)
    alarms.stop(alarm)
    alarms.stop(alarm)
    assert await late(alarms, 0.01) == "rang"
    assert not alarm.rang
    alarms.close()
    alarms.close()


async def test_cancellation_from_outside_is_not_taken_for_an_alarm():
    alarms = Alarms()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(late(alarms, 3600))
        await asyncio.sleep(0)
        task.cancel()
    assert task.cancelled()
    alarms.close()


async def test_cancellation_beside_an_alarm_wins():
    alarms = Alarms()

    async def both() -> str:
        alarm = alarms.start(asyncio.get_running_loop().time() + 3600)
        alarm.ring()
        alarm.task.cancel()
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            return "ours" if alarm.is_ours() else "theirs"
        finally:
            alarms.stop(alarm)
        return "never"

    async with asyncio.TaskGroup() as group:
        task = group.create_task(both())
    assert task.result() == "theirs"
    alarms.close()
