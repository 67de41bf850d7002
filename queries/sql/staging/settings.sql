-- grain: one row for the file: what the other views are told
-- Put a settings.sql of your own beside your queries to change a value. The metric switches are
-- those of the newest sweep; a file without a sweep shows the default profile's.
with newest as (
    select max_by(switches, started_at) as switches
    from sweeps
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
    coalesce(switches ->> '$."needlechain.rows"', 'all') as needlechain_rows
from newest
