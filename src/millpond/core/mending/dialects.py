"""Dialects: functions of other databases, each with DuckDB's of the same arguments, and types likewise.

Rule: a name on the right is DuckDB's (a contract test), and DuckDB knows none on the left. Imports nothing.
"""

FUNCTIONS = {
    "collect_list": "list",
    "explode": "unnest",
    "from_unixtime": "to_timestamp",
    "getdate": "now",
    "group_array": "list",
    "iif": "if",
    "json_array_elements": "unnest",
    "json_object_keys": "json_keys",
    "jsonb_array_elements": "unnest",
    "jsonb_array_length": "json_array_length",
    "jsonb_object_keys": "json_keys",
    "nvl": "ifnull",
    "object_keys": "json_keys",
    "rand": "random",
    "regexp_like": "regexp_matches",
    "regexp_substr": "regexp_extract",
    "size": "len",
    "sizeof": "len",
    "split_to_array": "string_split",
    "std": "stddev",
    "stdev": "stddev",
    "str_to_date": "strptime",
    "sysdate": "now",
    "date_format": "strftime",
    "toupper": "upper",
    "tolower": "lower",
    "truncate": "trunc",
    "unix_timestamp": "epoch",
}
"""Other databases' names, each with DuckDB's function that takes the same arguments, or nearly."""
SYNTAX = ("coalesce", "ifnull", "nullif")
"""Functions that DuckDB's parser knows and no list of functions has."""
TYPES = {
    "NUMBER": "DOUBLE",
    "INT256": "BIGNUM",
    "MONEY": "DECIMAL(18,2)",
    "DATETIME2": "TIMESTAMP",
    "VARCHAR2": "VARCHAR",
}
KNOWN_TYPES = (
    "BIGINT", "BIGNUM", "BLOB", "BOOLEAN", "DATE", "DECIMAL", "DOUBLE", "FLOAT", "HUGEINT", "INTEGER", "INTERVAL", "JSON",
    "SMALLINT", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TINYINT", "UUID", "VARCHAR",
)  # fmt: skip
"""Types that a cast is likely to mean."""
