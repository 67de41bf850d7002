-- grain: one row for the file
select *
from settings
