-- What the views gather about a trial from trials, attempts and scores, kept so that they need not
-- join a million rows for each question. Derived: it may be emptied at any time, and holds nothing
-- that the facts do not. Each row says how many rows of the facts had been seen when it was made;
-- what came after the newest of these is added by the views (stg_gathered).
CREATE TABLE gathered_trials (
    trial_key UBIGINT NOT NULL,
    trial_place BIGINT NOT NULL,
    cell_id VARCHAR NOT NULL,
    repeat INTEGER NOT NULL,
    seed UBIGINT NOT NULL,
    prompt_key UBIGINT NOT NULL,
    prompt_chars BIGINT NOT NULL,
    kind VARCHAR NOT NULL,
    attempts INTEGER,
    final BOOLEAN,
    last_outcome VARCHAR,
    started_at TIMESTAMP,
    finished_at TIMESTAMP,
    input_tokens BIGINT,
    cache_read_tokens BIGINT,
    cache_write_tokens BIGINT,
    output_tokens BIGINT,
    reasoning_tokens BIGINT,
    cost_pusd BIGINT,
    n_cost_unknown BIGINT,
    n_maybe_billed BIGINT,
    queue_s DOUBLE,
    first_byte_s DOUBLE,
    latency_s DOUBLE,
    score_place BIGINT,
    scored_at TIMESTAMP,
    score DOUBLE,
    score_label VARCHAR,
    scorer VARCHAR,
    profile VARCHAR,
    trials_seen BIGINT NOT NULL,
    attempts_seen BIGINT NOT NULL,
    scores_seen BIGINT NOT NULL
);
