from runner.engine.bounds import deadlines


def test_a_long_prompt_and_a_long_reply_have_more_time():
    short, long = deadlines(1_000, 100, stream=True), deadlines(1_000_000, 100, stream=True)
    assert short.first_byte_s < long.first_byte_s < long.total_s
    assert deadlines(1_000, 10_000, stream=True).total_s > short.total_s


def test_without_a_stream_the_first_byte_comes_with_the_last():
    limit = deadlines(1_000, 100, stream=False)
    assert limit.first_byte_s == limit.total_s
