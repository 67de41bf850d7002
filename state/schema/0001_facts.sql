-- Facts are inserted and never changed. Columns stand in the order of the fields in state/records.py.
-- Stamps are UTC; money is whole pico-dollars; unknown is NULL. No secondary unique index, no upserts.

CREATE TABLE meta (
    key VARCHAR NOT NULL,
    value VARCHAR NOT NULL
);

-- How far the journal has been loaded: written in the same transaction as the rows it counts.
CREATE TABLE journal_loads (
    last_seq BIGINT NOT NULL,
    rows BIGINT NOT NULL,
    loaded_at TIMESTAMP NOT NULL
);

CREATE TABLE sweeps (
    sweep_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    seed UBIGINT NOT NULL,
    repeats INTEGER NOT NULL,
    budget_pusd BIGINT,
    profile VARCHAR NOT NULL,
    switches JSON NOT NULL,
    config JSON NOT NULL,
    simulated BOOLEAN NOT NULL,
    trials_planned BIGINT NOT NULL,
    runner_version VARCHAR NOT NULL
);

CREATE TABLE cells (
    cell_id VARCHAR NOT NULL,
    provider VARCHAR NOT NULL,
    base_url VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    task_version INTEGER NOT NULL,
    size DOUBLE,
    size_unit VARCHAR NOT NULL,
    point JSON NOT NULL,
    params JSON NOT NULL,
    switches JSON NOT NULL,
    inputs JSON NOT NULL,
    context_window BIGINT,
    simulated BOOLEAN NOT NULL
);

CREATE TABLE sweep_cells (
    sweep_id VARCHAR NOT NULL,
    cell_id VARCHAR NOT NULL,
    repeats INTEGER NOT NULL
);

CREATE TABLE trials (
    trial_id VARCHAR NOT NULL,
    cell_id VARCHAR NOT NULL,
    repeat INTEGER NOT NULL,
    seed UBIGINT NOT NULL,
    prompt_hash VARCHAR NOT NULL,
    prompt_chars BIGINT NOT NULL,
    kind VARCHAR NOT NULL,
    lengths JSON NOT NULL,
    target JSON NOT NULL
);

CREATE TABLE prompts (
    trial_id VARCHAR NOT NULL,
    messages JSON NOT NULL
);

CREATE TABLE reservations (
    attempt_id VARCHAR NOT NULL,
    trial_id VARCHAR NOT NULL,
    sweep_id VARCHAR NOT NULL,
    n INTEGER NOT NULL,
    started_at TIMESTAMP NOT NULL,
    reserved_pusd BIGINT,
    input_tokens_estimate BIGINT NOT NULL
);

CREATE TABLE attempts (
    attempt_id VARCHAR NOT NULL,
    trial_id VARCHAR NOT NULL,
    n INTEGER NOT NULL,
    started_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP NOT NULL,
    outcome VARCHAR NOT NULL,
    http_status INTEGER,
    error VARCHAR,
    request_id VARCHAR,
    input_tokens BIGINT,
    cache_read_tokens BIGINT,
    cache_write_tokens BIGINT,
    output_tokens BIGINT,
    reasoning_tokens BIGINT,
    cost_pusd BIGINT,
    maybe_billed BOOLEAN NOT NULL,
    final BOOLEAN NOT NULL,
    queue_s DOUBLE,
    first_byte_s DOUBLE,
    latency_s DOUBLE
);

CREATE TABLE completions (
    trial_id VARCHAR NOT NULL,
    attempt_id VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    reasoning_text VARCHAR,
    finish_reason VARCHAR,
    model_reported VARCHAR
);

CREATE TABLE scores (
    trial_id VARCHAR NOT NULL,
    scorer VARCHAR NOT NULL,
    scorer_version INTEGER NOT NULL,
    profile VARCHAR NOT NULL,
    value DOUBLE NOT NULL,
    label VARCHAR NOT NULL,
    detail JSON NOT NULL,
    switches JSON NOT NULL,
    scored_at TIMESTAMP NOT NULL,
    again BOOLEAN NOT NULL
);

CREATE TABLE pending (
    sweep_id VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    trials BIGINT NOT NULL,
    "at" TIMESTAMP NOT NULL
);

CREATE TABLE models (
    sweep_id VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    context_window BIGINT,
    price JSON,
    price_source VARCHAR NOT NULL,
    tokenizer VARCHAR NOT NULL
);
