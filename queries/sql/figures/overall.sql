-- grain: one row per model x benchmark x condition x size
select
    provider, model, setup, simulated, benchmark, condition, size, size_unit,
    n_tasks, n_tasks_swept, accuracy, n_answered, paper_complete
from overall_accuracy
order by benchmark, condition, model, provider, setup, simulated, size
