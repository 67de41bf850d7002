"""Words that others could send: each would drive a terminal, a document or a line of a log."""

HOSTILE = (
    "\x1b[2J\x1b[31mred",
    "\x1b]0;title\x07",
    "\x1b]52;c;aGk=\x1b\\",
    "\x1b]8;;http://127.0.0.1/\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31mred",
    "\x9d0;title\x9c",
    "\x90q\x9c",
    "a\b\b\bb",
    "done\rfail",
    "ring\a",
    "form\ffeed\vtab",
    "nul\x00byte",
    "del\x7f",
    "next\x85line",
    "shift\x0eout\x0fin",
    "\u202egnp.exe",
    "\u2066isolate\u2069",
    "\u200frtl\u200e",
    "\u061carabic",
    "para\u2029graph\u2028line",
    "zero\u200bwidth\ufeff",
    "tag\U000e0041\U000e007f",
    "x[awq]",
    "[/INST]",
    "[bold]bold[/bold]",
    "[link=http://127.0.0.1/]click[/link]",
    "org/model:fire:",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt;",
    "]]></style></svg>",
    "a|b|c",
    "**bold** _it_ `code` ~~gone~~",
    "![x](http://127.0.0.1/x.png)",
    "$x^2$ \\input{/etc/passwd}",
    "100% & #1 {a} ~b^c --- ``q''",
    "\\n\\u001b",
    "${title} $$ %s {0}",
    "emoji \U0001f600 and 漢字 and é",
    "=1+2",
    "tab\tand\nline",
    "../../escaped",
    "datum.who == 'x'",
)
_RANGES = ((0x00, 0x20), (0x7F, 0xA0), (0x2028, 0x202F), (0x2066, 0x206A))
DRIVES = {chr(code) for start, end in _RANGES for code in range(start, end)} | set(
    "\u200b\u200e\u200f\u061c\ufeff"
)
DRIVES -= {"\n", "\t"}
"""What no terminal may be sent by a word of others."""


def driving(text: str) -> set[str]:
    """What of a text would drive a terminal."""
    return DRIVES & set(text)
