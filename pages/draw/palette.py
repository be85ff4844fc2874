"""The colours, each with one meaning on every page; all are safe for colour-blind eyes."""

# Signed numbers: blue below 0, orange above, centred on 0.
DIVERGING = ("#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fee0b6", "#f1a340", "#b35806")
# Attention weights: 0 to 1, always the whole range.
SEQUENTIAL = ("#fcfbfd", "#dadaeb", "#9e9ac8", "#6a51a3", "#3f007d")
MASKED = "#6b7079"
HIGHLIGHT = "#d6006e"

# Several curves in one picture: the first is the one without help.
SERIES = (
    *("#d55e00", "#0080c0", "#00936a", "#b8639c"),
    *("#8a74c9", "#7f7f7f", "#c49a00", "#5b8c00", "#a0522d"),
)
