"""Cases of what people type as a number and of how a number is written.

Numbers are read and written in the browser (pages/ui/picture/numbers.js) and in Python
(pages/model/entries.py, pages/ui/numbers.py): both are tested against these lists.
"""

# The largest absolute value that is taken.
LIMIT = 1_000_000

# (entry, its value): ASCII and full-width characters, all kinds of dashes as minus, spaces around
ACCEPTED = [
    ("0", 0.0),
    ("1", 1.0),
    ("007", 7.0),
    ("+3", 3.0),
    ("-0.5", -0.5),
    ("5.", 5.0),
    (".5", 0.5),
    ("-.5", -0.5),
    ("1e3", 1000.0),
    ("1E+3", 1000.0),
    ("2.5e-3", 0.0025),
    ("1e-400", 0.0),
    ("  1.5\t", 1.5),
    ("\u00a01.5\u3000", 1.5),
    ("1000000", 1e6),
    ("-1e6", -1e6),
    ("0.1234567890123456", 0.123456789012),  # twelve significant digits are kept
    ("0.30000000000000004", 0.3),
    ("１２．５", 12.5),
    ("－３", -3.0),
    ("＋３", 3.0),
    ("１ｅ２", 100.0),
    ("１Ｅ２", 100.0),
    ("−2", -2.0),  # U+2212, the minus sign
    ("‐2", -2.0),  # U+2010, the hyphen
    ("‑2", -2.0),  # U+2011, the hyphen that does not break
    ("‒2", -2.0),  # U+2012, the figure dash
    ("–2", -2.0),  # U+2013, the en dash
    ("—2", -2.0),  # U+2014, the em dash
    ("―2", -2.0),  # U+2015, the horizontal bar
    ("﹣2", -2.0),  # U+FE63, the small hyphen
    ("1e−3", 0.001),
    ("-0", 0.0),  # without a sign: −0 is 0
]

# No numbers at all.
REFUSED = [
    "", " ", ".", "-", "+", "e3", "1e", "1e+", "two", "三", "1,5", "1，5", "1 000", "1_000", "1.2.3", "--1",
    "+-1", "1²", "²", "½", "Ⅳ", "①", "१", "٣", "0x10", "1/2", "50%", "inf", "-inf", "∞", "nan", "NaN",
    "Infinity", "1f", "1。5", "1e1.5", "(1)", "true", "None",
]  # fmt: skip

# Numbers, but larger than LIMIT.
TOO_LARGE = ["1000001", "-1000000.5", "1e7", "1e400", "-1e400", "1e1000", "9" * 400, "１ｅ９"]

INF = float("inf")

# (value, decimals, text): at most six characters with two decimals; exactly half way goes to the even digit
SHORT = [
    (0.0, 2, "0.00"),
    (-0.0, 2, "0.00"),
    (1.0, 2, "1.00"),
    (-1.5, 2, "−1.50"),
    (0.125, 2, "0.12"),
    (0.375, 2, "0.38"),
    (-0.125, 2, "−0.12"),
    (2.5, 0, "2"),
    (3.5, 0, "4"),
    (0.25, 1, "0.2"),
    (1.005, 2, "1.00"),
    (0.615, 2, "0.61"),
    (-0.004, 2, "0.00"),
    (-0.005, 2, "−0.01"),
    (99.994, 2, "99.99"),
    (99.995, 2, "100.0"),
    (-100.25, 2, "−100.2"),
    (999.94, 2, "999.9"),
    (999.95, 2, "1000"),
    (12345.5, 2, "12346"),
    (12346.5, 2, "12346"),
    (99999.4, 2, "99999"),
    (99999.5, 2, "1.0e5"),
    (125000.0, 2, "1.2e5"),
    (135000.0, 2, "1.4e5"),
    (-1e9, 2, "−1.0e9"),
    (9.96e9, 2, "1.0e10"),
    (1e300, 2, "1.0e300"),
    (1.63254, 4, "1.6325"),
    (0.00005, 4, "0.0001"),
    (0.03125, 4, "0.0312"),
    (123.456, 4, "123.5"),
    (INF, 2, "∞"),
    (-INF, 2, "−∞"),
    (INF - INF, 2, "NaN"),
]
