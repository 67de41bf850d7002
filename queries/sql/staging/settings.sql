-- grain: one row for the file: what the other views are told
-- Put a settings.sql of your own beside your queries to change a value. The metric switches are
-- those of the newest sweep, or of a later rescore; a file without either shows the default's.
with newest_sweep as (
    select
        max_by(switches, rowid) as switches,
        max_by(started_at, rowid) as since
    from sweeps
),

newest_score as (
    select
        any_value(switches) as switches,
        any_value(scored_at) as since
    from scores
    where rowid = (select max(rowid) from scores)  -- not max_by, which reads all switches
),

newest as (
    select
        case
            when newest_sweep.switches is null then newest_score.switches
            when newest_score.since > newest_sweep.since
                then json_merge_patch(newest_sweep.switches, newest_score.switches)
            else newest_sweep.switches
        end as switches
    from newest_sweep
    cross join newest_score
)

select
    0.75::double as threshold,
    1.959963984540054::double as z,
    10::double as reference_needles,
    5::double as reference_steps,
    coalesce(switches ->> '$."nt.ecl_crossing"', 'first_down') as ecl_crossing,
    coalesce(switches ->> '$."nt.ci_n"', 'prompts') as ci_n,
    coalesce(switches ->> '$."flenqa.fisher_alt"', 'both') as fisher_alt,
    coalesce((switches ->> '$."flenqa.dedup"')::boolean, true) as dedup,
    coalesce(switches ->> '$."niah.score_scale"', 'readme') as score_scale,
    coalesce(switches ->> '$."needlechain.rows"', 'all') as needlechain_rows,
    coalesce(switches ->> '$."report.interval"', 'cluster') as interval_kind
from newest
