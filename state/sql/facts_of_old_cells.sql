-- The facts of cells that were written before tasks said them: version 0.1 knew tasks by these names.
-- This is data about old files, and is not added to.
SELECT
    cell_id,
    split_part(task, '.', 1) AS family,
    CASE
        WHEN task = 'flenqa.next_word' THEN 'word'
        WHEN task = 'niah.negative' THEN 'absent'
        WHEN task = 'niah.custom' THEN 'keywords'
        ELSE CASE split_part(task, '.', 1)
            WHEN 'needle_threading' THEN 'values'
            WHEN 'flenqa' THEN 'true_false'
            WHEN 'niah' THEN 'number'
            WHEN 'needlechain' THEN 'amount'
            WHEN 'judge' THEN 'judgement'
            ELSE ''
        END
    END AS answer,
    CASE
        WHEN task IN ('needle_threading.single_needle', 'niah.magic_number', 'niah.custom')
            THEN 'depth'
        WHEN task IN ('needle_threading.multi_needle', 'needle_threading.conditional_needle')
            THEN 'needles'
        WHEN task LIKE 'needle\_threading.%' ESCAPE '\' THEN 'thread_length'
        WHEN task LIKE 'flenqa.%' AND (point ->> '$.cot') IS NOT NULL THEN 'cot'
        WHEN task LIKE 'needlechain.%' THEN 'question'
        ELSE ''
    END AS curve_axis,
    CASE
        WHEN task = 'needle_threading.single_needle' THEN least(1, 80 / size)
        WHEN task IN ('flenqa.monorel', 'flenqa.pir', 'flenqa.ruletaker') THEN 0.5
        WHEN task IN ('niah.magic_number', 'niah.custom') THEN 0
    END AS chance,
    CASE
        WHEN task NOT IN (
            'flenqa.next_word',
            'niah.negative',
            'niah.custom',
            'needle_threading.branched_threading',
            'needle_threading.natural_threading',
            'needle_threading.natural_multi_threading'
        ) AND task NOT LIKE 'judge.%' THEN split_part(task, '.', 1)
    END AS overall,
    CASE
        WHEN task IN (
            'needle_threading.single_needle',
            'needle_threading.multi_needle',
            'needle_threading.conditional_needle',
            'needle_threading.threading',
            'needle_threading.multi_threading'
        ) THEN 5
    END AS overall_tasks,
    CASE WHEN task LIKE 'needlechain.%' THEN 100 END AS official_repeats,
    CASE
        WHEN task LIKE 'needle\_threading.%' ESCAPE '\' THEN
            coalesce(try_cast(point ->> '$.threads' AS INTEGER), 1)
            * coalesce(try_cast(point ->> '$.needles' AS INTEGER), 1)
        ELSE 1
    END AS values_asked,
    CASE split_part(task, '.', 1)
        WHEN 'needle_threading' THEN 6 + 27 * (
            coalesce(try_cast(point ->> '$.threads' AS INTEGER), 1)
            * coalesce(try_cast(point ->> '$.needles' AS INTEGER), 1)
        )
        WHEN 'flenqa' THEN CASE WHEN try_cast(point ->> '$.cot' AS BOOLEAN) THEN 160 ELSE 5 END
        WHEN 'needlechain' THEN 60 + 45 * try_cast(point ->> '$.k' AS BIGINT)
        ELSE 24
    END::DOUBLE AS reply_tokens
FROM cells
