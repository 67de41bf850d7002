from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.config import sweep as cfg
from runner.config.models import PARAMS
from runner.config.sweep import SweepConfig, fits
from runner.errors import UsageError

GOOD = """
[sweep]
name = "first"
seed = 7
repeats = 5
budget = "500usd"
profile = "paper"
switches = { "flenqa.answer" = "notebook" }

[[models]]
id = "openai/gpt-4o-2024-08-06"
params = { temperature = 0, max_tokens = 256, stop = ["END"] }
limits = { rpm = 500, itpm = 2_000_000, otpm = 100_000, concurrency = 64 }

[[models]]
id = "compat/meta-llama/llama-3.1-70b"
base_url = "http://127.0.0.1:8000/v1/"
api_key_env = "MY_KEY"
price = { input = 0.5, output = 0.8, tiers = [{ above = 200, input = 1.0, output = 1.6 }] }
context_window = 131072
stream = true

[[tasks]]
name = "needle_threading.single_needle"
size = [800, 1600]
depth = 50
"""


def read(text: str) -> SweepConfig:
    return cfg.parse(text, Path("sweep.toml"))


def refused(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        read(text)
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("sweep.toml: ")
    return line.removeprefix("sweep.toml: ")


def test_the_whole_config_is_read() -> None:
    config = read(GOOD)
    assert (config.name, config.seed, config.repeats) == ("first", 7, 5)
    assert config.budget_pusd == 500 * 10**12
    assert config.switches["flenqa.answer"] == "notebook"
    assert config.switches["flenqa.strip_punct"] is True  # the paper profile's
    openai, llama = config.models
    assert (openai.provider, openai.name) == ("openai", "gpt-4o-2024-08-06")
    assert openai.limits.itpm == 2_000_000
    assert (llama.provider, llama.name) == ("compat", "meta-llama/llama-3.1-70b")
    assert llama.base_url == "http://127.0.0.1:8000/v1"
    assert llama.price is not None
    price = llama.price.to_price()
    assert (price.input, price.at(201).output) == (500_000, 1_600_000)
    (task,) = config.tasks
    assert dict(task.axes) == {"size": (800, 1600), "depth": (50,)}
    assert task.options(config.switches).switches["flenqa.answer"] == "notebook"


def test_what_is_stored_is_json_and_names_no_key() -> None:
    stored = orjson.loads(orjson.dumps(read(GOOD).to_json()))
    assert stored["models"][1]["api_key_env"] == "MY_KEY"
    assert stored["tasks"][0] == {
        "name": "needle_threading.single_needle",
        "size": [800, 1600],
        "depth": [50],
    }


def test_a_switch_may_be_written_without_quotes() -> None:
    text = GOOD.replace('switches = { "flenqa.answer" = "notebook" }', "switches.nt.pick = 'last'")
    assert read(text).switches["nt.pick"] == "last"


def test_a_free_model_says_so_with_a_zero() -> None:
    config = read(GOOD.replace("price = {", "price = 0 # {"))
    price = config.models[1].price
    assert price is not None
    assert price.to_price().free


REPLACED = [
    ("rpm = 500", "rpmm = 500", "models[0].limits.rpmm: unknown key (did you mean 'rpm'?)"),
    ("repeats = 5", "repeat = 5", "sweep.repeat: unknown key (did you mean 'repeats'?)"),
    ("repeats = 5", "repeats = 0", "sweep.repeats = 0: "),
    ("repeats = 5", 'repeats = "5"', "sweep.repeats = '5': must be a whole number"),
    ("repeats = 5", "repeats = true", "sweep.repeats = True: must be a whole number"),
    ("[[tasks]]", "[[task]]", "tasks: is missing"),
    ("above = 200", "over = 200", "models[1].price.tiers[0].above: is missing"),
    ("output = 0.8", "output = -0.8", "models[1].price.output = -0.8: "),
    ("output = 0.8", "output = nan", "models[1].price.output = nan: "),
    ("price = {", "price = 3 # {", "models[1].price: must be { input = 3, output = ... }"),
    ('"500usd"', '"500eur"', "sweep.budget: '500eur': 'eur' is no unit of money here"),
    ('"500usd"', "500", 'sweep.budget: must be text with its unit, like "500usd"'),
    ('"paper"', '"papers"', "sweep.profile = 'papers': must be 'default', 'paper' or 'official'"),
    ("flenqa.answer", "flenqa.answers", "sweep.switches: no switch 'flenqa.answers' (did you mean"),
    ('"notebook"', '"book"', "sweep.switches: flenqa.answer = 'book' is not one of"),
    ("openai/", "opnai/", "models[0].id: no provider 'opnai' (did you mean 'openai'?)"),
    ("openai/gpt-4o-2024-08-06", "gpt-4o", "models[0].id: 'gpt-4o' must be \"provider/model\""),
    ("openai/gpt-4o-2024-08-06", "local/gpt", "models[0].id: no local model 'gpt'; there is one"),
    ("temperature = 0", "temprature = 0", "models[0]: params.temprature: unknown parameter (did"),
    (
        "temperature = 0",
        "temperature = 3",
        "models[0].params: temperature = 3: must be from 0 to 2",
    ),
    ("max_tokens", "max_completion_tokens", "models[0].params: max_completion_tokens: the output"),
    ("max_tokens = 256", "n = 2", "models[0].params: n: one reply"),
    ('stop = ["END"]', "stop = [1]", "models[0].params: stop: must be text"),
    ('base_url = "http://127.0.0.1:8000/v1/"', "", "models[1]: base_url: is missing; compat needs"),
    (
        "http://127.0.0.1:8000",
        "127.0.0.1:8000",
        "models[1].base_url: must be a URL with its scheme",
    ),
    (
        "http://127.0.0.1:8000/v1/",
        "http://h/v1?key=abc",
        "models[1].base_url: must not hold a query",
    ),
    ("http://127", "http://me:pass@127", "models[1].base_url: must not hold a user or password"),
    (
        "single_needle",
        "single_needl",
        "tasks[0].name: no task 'needle_threading.single_needl' (did",
    ),
    ("depth = 50", "deep = 50", "tasks[0].deep: unknown key (did you mean 'depth'?)"),
    ("depth = 50", 'depth = "half"', "tasks[0].depth: needle_threading.single_needle: depth = "),
    ("depth = 50", "depth = []", "tasks[0].depth: is an empty list"),
    ("depth = 50", "depth = [50, 50]", "tasks[0].depth: holds a value twice"),
    ("depth = 50", "depth = [[50]]", "tasks[0].depth: holds [50]"),
    (
        "depth = 50",
        "depth = [0.0, 0.5, 1.0]",
        "tasks[0].depth = [0.0, 0.5, 1.0]: depths are in percent, and these all lie in the first "
        "one; write [0, 50, 100] if they are shares",
    ),
    ("depth = 50", "depth = 0.25", "tasks[0].depth = [0.25]: depths are in percent"),
    ("depth = 50", "depth = { n = 0 }", "tasks[0].depth: n = 0 must be a whole number from 1"),
    (
        "depth = 50",
        "depth = { n = 5, max = 101 }",
        "tasks[0].depth: needle_threading.single_needle",
    ),
    ("depth = 50", "depth = { n = 5, step = 2 }", "tasks[0].depth: no key 'step' in a ladder"),
    ("depth = 50", 'depth = { n = 5, spacing = "log" }', "tasks[0].depth: spacing = 'log' is not"),
    ("[800, 1600]", "{ min = 800, n = 3 }", "tasks[0].size: max is missing"),
    ("[800, 1600]", "{ min = 9, max = 8, n = 3 }", "tasks[0].size: min = 9 is more than max = 8"),
    ("[800, 1600]", "{ min = 80, max = 82, n = 9 }", "tasks[0].size: n = 9: there are fewer"),
    ("depth = 50", "repeats = 0", "tasks[0].repeats = 0: must be a whole number from 1"),
    ("stream = true", "repeats = 0", "models[1].repeats = 0: "),
    (
        "temperature = 0",
        "thinking_budget = 100",
        "models[0]: params.thinking_budget: openai takes reasoning_effort",
    ),
    (
        "context_window",
        'params = { safety_settings = "OFF" }\ncontext_window',
        "models[1]: params.safety_settings: compat has none",
    ),
    ("[800, 1600]", '"4k"', "tasks[0].size: needle_threading.single_needle: size = '4k' must be"),
    ("depth = 50", 'haystack = "nowhere"', "tasks[0].haystack: nothing at 'nowhere'"),
    (
        "depth = 50",
        'haystack = "~no-such-user/x"',
        "tasks[0].haystack: '~no-such-user/x' is no path: ",
    ),
    ("depth = 50", f'haystack = "{"x" * 5000}"', "tasks[0].haystack: 'xxx"),
    ("depth = 50", "needle = 3", "tasks[0].needle = 3: must be text in quotes"),
    ("seed = 7", 'prompts = "none.toml"', "sweep.prompts: nothing at 'none.toml'"),
    ("[sweep]", "[sweep", "is not valid TOML: "),
    ("stream = true", 'tokenizer = "cl100k"', "models[1].tokenizer: no vocabulary 'cl100k' (did"),
    ("seed = 7", "seed = -1", "sweep.seed = -1: "),
    ("stream = true", 'stream = "yes"', "models[1].stream = 'yes': must be true or false"),
]


@pytest.mark.parametrize(("old", "new", "says"), REPLACED)
def test_what_is_wrong_is_one_line_with_its_key(old: str, new: str, says: str) -> None:
    assert old in GOOD
    assert refused(GOOD.replace(old, new, 1)).startswith(says)


SECRETS = [
    ('api_key_env = "MY_KEY"', 'api_key = "{}"', "plain-canary-value"),
    ('api_key_env = "MY_KEY"', 'api_key_env = "{}"', "sk-canary-0123456789abcdef"),
    ('api_key_env = "MY_KEY"', 'api_key_env = "{}"', "canary value of no known shape"),
    ('name = "first"', 'name = "{}"', "AIzaCanary0123456789abcdefghijkl"),
    ('name = "first"', 'token = "{}"', "plain-canary-value"),
    ("temperature = 0", 'Authorization = "{}"', "Bearer canary-value"),
    ("temperature = 0", 'x = ["{}"]', "sk-ant-canary-0123456789"),
    ("http://127.0.0.1:8000", "http://user:{}@127.0.0.1:8000", "canarypassword"),
    ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1?key={}", "canaryquery"),
]


@pytest.mark.parametrize(("old", "new", "canary"), SECRETS)
def test_a_key_in_the_file_is_refused_unread(old: str, new: str, canary: str) -> None:
    line = refused(GOOD.replace(old, new.format(canary), 1))
    assert canary not in line
    assert "variable" in line or "URL" in line


def test_tokenizer_and_token_limits_are_not_keys() -> None:
    config = read(GOOD.replace("stream = true", 'tokenizer = "cl100k_base"'))
    assert config.models[1].tokenizer == "cl100k_base"


def test_a_server_of_ones_own_may_take_parameters_of_its_own() -> None:
    own = GOOD.replace("context_window", "params = { mirostat = 2 }\ncontext_window")
    assert read(own).models[1].params == {"mirostat": 2}
    assert "did you mean 'top_p'" in refused(own.replace("mirostat", "topp"))
    assert "unknown parameter" in refused(GOOD.replace("temperature = 0", "mirostat = 2"))


def test_the_same_model_twice_is_refused_unless_something_differs() -> None:
    again = '\n[[models]]\nid = "openai/gpt-4o-2024-08-06"\nparams = {}\n'
    assert len(read(GOOD + again).models) == 3
    assert "stands twice" in refused(GOOD + again + again)


def test_relative_paths_start_at_the_file(tmp_path: Path) -> None:
    (tmp_path / "prose").mkdir()
    file = tmp_path / "sweep.toml"
    file.write_text(GOOD.replace("seed = 7", 'haystack = "prose"\ndb = "out.duckdb"'))
    config = cfg.load(file)
    assert config.tasks[0].given.haystack == tmp_path / "prose"
    assert config.db == tmp_path / "out.duckdb"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "no such file; `runner init`"),
        (lambda path: path.mkdir(), "cannot be read"),
        (lambda path: path.write_bytes(b"\xff\xfe\x00"), "is not a text file"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(make, says, tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    make(path)
    with pytest.raises(UsageError, match=says):
        cfg.load(path)


def test_flags_replace_what_the_file_says() -> None:
    config = read(GOOD)
    assert cfg.with_budget(config, "2usd").budget_pusd == 2 * 10**12
    assert [m.name for m in cfg.with_models(config, "openai/*").models] == ["gpt-4o-2024-08-06"]
    assert [m.provider for m in cfg.with_models(config, "*llama*").models] == ["compat"]
    assert len(cfg.with_tasks(config, "needle_*").tasks) == 1
    assert cfg.with_profile(config, "official").switches["flenqa.answer"] == "notebook"
    assert cfg.with_concurrency(config, 3).concurrency == 3


@pytest.mark.parametrize(
    ("change", "value", "says"),
    [
        (cfg.with_budget, "5eur", "--budget '5eur'"),
        (cfg.with_models, "gpt-5", "--models 'gpt-5': no model of sweep.toml"),
        (cfg.with_tasks, "flenqa.*", "--tasks 'flenqa.*': no task of sweep.toml"),
        (cfg.with_profile, "papers", "did you mean 'paper'"),
        (cfg.with_concurrency, 0, "--concurrency 0: must be from 1"),
    ],
)
def test_a_flag_that_fits_nothing_says_what_would(change, value, says: str) -> None:
    with pytest.raises(UsageError, match="--") as caught:
        change(read(GOOD), value)
    assert says in str(caught.value)


toml_scalar = st.integers() | st.floats() | st.booleans() | st.text(max_size=8)


@given(
    name=st.text(max_size=12),
    value=st.recursive(
        toml_scalar, lambda x: st.lists(x) | st.dictionaries(st.text(max_size=5), x), max_leaves=4
    ),
)
def test_any_value_anywhere_is_read_or_refused_in_one_line(name: str, value: object) -> None:
    lines: list[str] = []
    for place in ("sweep", "models", "tasks", "params", "limits", "price"):
        model = {"id": "openai/x", "params": {}, "limits": {}}
        document: dict = {
            "sweep": {},
            "models": [model],
            "tasks": [{"name": "needle_threading.single_needle"}],
        }
        table = {"sweep": document["sweep"], "models": model, "tasks": document["tasks"][0]}.get(
            place
        )
        if table is None:
            table = model.setdefault(place, {})
        table[name] = value
        try:
            cfg.from_document(document, Path("s.toml"))
        except UsageError as error:
            lines.append(str(error))
    assert all(len(line.splitlines()) == 1 for line in lines)


def test_parameters_are_named_once() -> None:
    assert len(set(PARAMS)) == len(PARAMS)


def test_earlier_files_are_found_beside_the_config(tmp_path: Path) -> None:
    (tmp_path / "old.duckdb").touch()
    file = tmp_path / "sweep.toml"
    file.write_text(GOOD.replace("seed = 7", 'calibrate_from = ["old.duckdb"]'))
    assert cfg.load(file).calibrate_from == (tmp_path / "old.duckdb",)


def test_an_earlier_file_that_is_not_there_is_named() -> None:
    line = refused(GOOD.replace("seed = 7", 'calibrate_from = ["old.duckdb"]'))
    assert line.startswith("sweep.calibrate_from[0]: nothing at 'old.duckdb'")
    assert "must be a list" in refused(GOOD.replace("seed = 7", "calibrate_from = 3"))


def test_paths_start_at_the_config_s_folder(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    file = tmp_path / "sweep.toml"
    file.write_text(GOOD.replace("seed = 7", 'db = "a.duckdb"\nhaystack = "words"'))
    config = cfg.load(file)
    assert config.db == tmp_path / "a.duckdb"
    assert config.haystack == config.tasks[0].given.haystack == tmp_path / "words"


@pytest.mark.parametrize("key", ["db", "haystack", "prompts"])
def test_a_path_is_text(key: str) -> None:
    line = refused(GOOD.replace("seed = 7", f"{key} = 3"))
    assert line == f"sweep.{key} = 3: must be text in quotes"


def test_a_haystack_that_is_not_there_is_named() -> None:
    line = refused(GOOD.replace("seed = 7", 'haystack = "none"'))
    assert line.startswith("sweep.haystack: nothing at 'none'; relative paths start at")


@pytest.mark.parametrize(
    ("key", "value"), [("transport", '"aiohttp"'), ("overrides", "{}"), ("budget_pusd", "5")]
)
def test_a_key_that_there_is_not_is_one_line(key: str, value: str) -> None:
    line = refused(GOOD.replace("seed = 7", f"{key} = {value}"))
    assert line.startswith(f"sweep.{key}: unknown key")
    assert "budget, profile, switches" in line


def test_what_is_stored_of_the_sweep_are_its_settings() -> None:
    assert read(GOOD).to_json()["sweep"] == {
        "name": "first",
        "seed": 7,
        "repeats": 5,
        "budget_pusd": 500 * 10**12,
        "profile": "paper",
        "switches": {"flenqa.answer": "notebook"},
        "concurrency": None,
        "patience_s": 1800.0,
        "calibrate_from": [],
    }


@pytest.mark.parametrize(
    ("text", "seconds"), [("45s", 45.0), ("30min", 1800.0), ("2 h", 7200.0), ("1.5d", 129_600.0)]
)
def test_patience_is_a_time_with_its_unit(text: str, seconds: float) -> None:
    assert read(GOOD.replace("seed = 7", f'seed = 7\npatience = "{text}"')).patience_s == seconds


@pytest.mark.parametrize("wrong", ["30", '"30"', '"soon"', '"-1s"', '"30 m"'])
def test_patience_without_a_unit_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match=r"sweep\.patience: must be text with its unit"):
        read(GOOD.replace("seed = 7", f"seed = 7\npatience = {wrong}"))


def test_ladders_of_any_number_of_points() -> None:
    ladders = GOOD.replace("[800, 1600]", "{ min = 1000, max = 128_000, n = 15 }")
    for depth, n, second in (
        ("{ n = 35 }", 35, 3),
        ('{ n = 35, spacing = "sigmoid" }', 35, 0.896),
        ("{ n = 300 }", 300, 100 / 299),
        ("{ min = 20, max = 40, n = 3 }", 3, 30),
        ("{ n = 1 }", 1, None),
    ):
        axes = read(ladders.replace("depth = 50", f"depth = {depth}")).tasks[0].axes
        assert axes["size"][:3] == (1000, 10071, 19143)
        assert (axes["size"][-1], len(axes["depth"])) == (128_000, n)
        if second is not None:
            assert axes["depth"][1] == pytest.approx(second)
    assert axes["depth"] == (0,)


def test_depths_below_one_percent_beside_others_are_meant() -> None:
    assert read(GOOD.replace("depth = 50", "depth = [0.5, 50]")).tasks[0].axes["depth"] == (0.5, 50)
    assert read(GOOD.replace("depth = 50", "depth = [0, 1]")).tasks[0].axes["depth"] == (0, 1)


def test_thinking_budgets_and_safety_settings_are_taken() -> None:
    google = GOOD.replace("openai/gpt-4o-2024-08-06", "google/gemini-2.5-flash")
    for value in ('"OFF"', '{ HARM_CATEGORY_HARASSMENT = "BLOCK_NONE" }'):
        params = f"thinking_budget = 0, safety_settings = {value}"
        config = read(google.replace("temperature = 0", params))
        assert set(config.models[0].params) >= {"thinking_budget", "safety_settings"}
    wrong = google.replace("temperature = 0", 'safety_settings = "none"')
    assert "safety_settings = 'none': must be a threshold for all" in refused(wrong)
    claude = google.replace("google/gemini-2.5-flash", "anthropic/claude-sonnet-4-5")
    assert read(claude.replace("temperature = 0", "thinking_budget = 2048"))


def test_intervals_are_chosen_by_profile_switch_or_key() -> None:
    assert read(GOOD).switches["report.interval"] == "wilson"  # the paper profile's
    own = read(GOOD.replace("seed = 7", 'interval = "cluster"'))
    assert own.switches["report.interval"] == "cluster"
    assert own.to_json()["sweep"]["switches"]["report.interval"] == "cluster"
    switched = GOOD.replace('"flenqa.answer" = "notebook"', '"report.interval" = "cluster"')
    assert read(switched).switches["report.interval"] == "cluster"
    wrong = refused(GOOD.replace("seed = 7", 'interval = "normal"'))
    assert wrong.startswith("sweep.interval = 'normal': must be 'cluster' or 'wilson'")


@pytest.mark.parametrize("name", ["compat/meta[llama]*?", "a", "[", "x[awq]"])
def test_a_name_is_found_by_itself_whatever_it_holds(name: str):
    assert fits(name, name)
    assert fits(name, "*")
    assert not fits(name, "other*")
