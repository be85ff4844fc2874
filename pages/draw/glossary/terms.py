"""The terms: for each its symbol, its shape, its formula, and where it is seen live. The words are texts."""

from dataclasses import dataclass, field

from pages.model.view import Place


@dataclass(frozen=True)
class Term:
    """A term. Its texts are `name.<key>` and `says.<key>` of this folder, in both languages.

    symbol, formula  TeX, or nothing
    shape            the sizes of the matrix, or nothing; n queries, m keys
    mask             the kind of mask that is its picture, or nothing
    """

    key: str
    symbol: str = ""
    shape: str = ""
    formula: str = ""
    lesson: str = "one_head"
    place: Place = field(default_factory=Place)
    mask: str = ""


def _step(name: str) -> Place:
    return Place(part="picture", step=name)


def _part(name: str) -> Place:
    return Place(part=name)


TERMS = (
    Term(
        "token",
        "x_i",
        "1 × d_model",
        r"X = \begin{pmatrix} x_1 \\ \vdots \\ x_n \end{pmatrix}",
        place=_step("query"),
    ),
    Term(
        "attention",
        formula=r"\mathrm{softmax}\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}}\right)V",
        place=_part("meaning"),
    ),
    Term("query", "Q", "n × d_k", r"Q = X W_Q", place=_step("query")),
    Term("key", "K", "m × d_k", r"K = X W_K", place=_step("key")),
    Term("value", "V", "m × d_v", r"V = X W_V", place=_step("value")),
    Term("weight_matrix", r"W_Q,\ W_K,\ W_V,\ W_O", "d_model × d_k", r"Q = X W_Q", place=_step("query")),
    Term("score", "S", "n × m", r"S = QK^{\mathsf T}, \quad s_{ij} = q_i \cdot k_j", place=_step("scores")),
    Term("scaling", r"1/\sqrt{d_k}", "", r"\frac{s_{ij}}{\sqrt{d_k}}", "why_scale", _part("experiment")),
    Term("scaled_score", "", "n × m", r"\frac{QK^{\mathsf T}}{\sqrt{d_k}}", place=_step("scaled_scores")),
    Term("masked_score", "", "n × m", r"s_{ij} \to -\infty", place=_step("masked_scores")),
    Term(
        "softmax",
        formula=r"p_j = \frac{e^{s_j}}{\sum_l e^{s_l}}",
        lesson="softmax",
        place=_part("bars"),
    ),
    Term("weights", "A", "n × m", r"\sum_j a_{ij} = 1, \quad a_{ij} \ge 0", place=_step("weights")),
    Term("output", "O", "n × d_v", r"o_i = \sum_j a_{ij} v_j", place=_step("output")),
    Term("mask", "M", "n × m", "", "masks", _part("gallery"), "custom"),
    Term("visible", "", "", r"s_{ij} \to -\infty \;\Rightarrow\; a_{ij} = 0", "masks", _part("gallery")),
    Term("fully_masked", "", "", r"s_{i1} = \dots = s_{im} = -\infty", "masks", _part("fully_masked")),
    Term("causal", "", "n × n", r"j \le i", "masks", _part("gallery"), "causal"),
    Term("padding", "", "n × m", r"j \le L", "masks", _part("gallery"), "padding"),
    Term("window", "", "n × n", r"i - l \le j \le i + r", "masks", _part("gallery"), "window"),
    Term("prefix", "", "n × n", r"j \le \max(i, p)", "masks", _part("gallery"), "prefix"),
    Term("packed", "", "n × n", "", "masks", _part("gallery"), "packed"),
    Term("cross_attention", "", "n × m", r"Q = X W_Q,\ K = Y W_K,\ V = Y W_V", "cross_attention"),
    Term("head", "h", "", r"O_i = A_i V_i", "many_heads", _part("overview")),
    Term("single_head", "h = 1", "", r"O = AV"),
    Term("multi_head", "h > 1", "", r"[O_1, \dots, O_h]\, W_O", "many_heads", _part("overview")),
    Term("concatenated", "", "n × h·d_v", r"[O_1, \dots, O_h]", "many_heads", _part("split")),
    Term(
        "output_projection",
        "W_O",
        "h·d_v × d_model",
        r"[O_1, \dots, O_h]\, W_O",
        "many_heads",
        _part("ablation"),
    ),
    Term("kv_heads", "", "", r"h_{kv} \mid h", "many_heads", _part("sharing")),
    Term("kv_cache", "", "n × h_kv·(d_k + d_v)", "", "many_heads", _part("sharing")),
    Term("grouped_query", "", "", r"1 < h_{kv} < h", "many_heads", _part("sharing")),
    Term("multi_query", "", "", r"h_{kv} = 1", "many_heads", _part("sharing")),
    Term("temperature", "T", "", r"\mathrm{softmax}(s / T)", "softmax", _part("temperature")),
    Term("entropy", "H", "", r"H = -\sum_j p_j \log_2 p_j", "softmax", _part("temperature")),
    Term("effective_keys", "", "", r"2^H", "softmax", _part("temperature")),
    Term("argmax", "", "", r"T \to 0", "softmax", _part("temperature")),
    Term("margin", "", "", r"s_{(1)} - s_{(2)}", "softmax", _part("temperature")),
    Term("saturated", "", "", r"\max_j p_j \approx 1, \quad J \approx 0", "softmax", _part("jacobian")),
    Term(
        "jacobian",
        "J",
        "m × m",
        r"J_{ij} = \frac{\partial p_i}{\partial s_j} = p_i(\delta_{ij} - p_j)",
        "softmax",
        _part("jacobian"),
    ),
    Term(
        "norm",
        r"\lVert \cdot \rVert",
        "",
        r"\lVert M \rVert = \sqrt{\textstyle\sum_{ij} m_{ij}^2}",
        "why_scale",
        _part("learning"),
    ),
    Term("gradient", r"\partial L / \partial W_Q", "d_model × d_k", "", "why_scale", _part("learning")),
    Term("loss", "L", "", r"L = -\tfrac{1}{N} \sum_i \log p_i", "train_a_head", _part("train")),
    Term(
        "gradient_descent",
        r"\eta",
        "",
        r"W \leftarrow W - \eta\, \partial L / \partial W",
        "train_a_head",
        _part("optimiser"),
    ),
    Term(
        "dropout",
        "p",
        "",
        r"a_{ij} \to 0, \quad a_{ij} \to \frac{a_{ij}}{1 - p}",
        "softmax",
        _part("dropout"),
    ),
    Term("batch", "b", "b × n × d_model", lesson="practice", place=_part("shapes")),
    Term("positional_encoding", "P", "n × d_model", r"X + P", "order", _part("learned")),
    Term(
        "sinusoidal",
        "",
        "n × d_model",
        r"\sin(i\,\omega_k),\ \cos(i\,\omega_k), \quad \omega_k = b^{-2k/d_{\text{model}}}",
        "order",
        _part("sinusoidal"),
    ),
    Term("rotary", r"\theta", "", r"\theta = i\, b^{-2k/d_k}", "order", _part("rotary")),
    Term("alibi", "m", "n × m", r"\frac{s_{ij}}{\sqrt{d_k}} - m\,|i - j|", "order", _part("alibi")),
    Term("flash_attention", lesson="flash_attention", place=_part("tiles")),
    Term("tile", "", "B_q × B_k", lesson="flash_attention", place=_part("tiles")),
    Term(
        "online_softmax",
        "",
        "",
        r"\ell \leftarrow \ell\, e^{m - m'} + e^{s_j - m'}",
        "flash_attention",
        _part("row"),
    ),
    Term("logsumexp", "", "", r"\log \sum_j e^{s_j} = m + \log \ell", "flash_attention", _part("row")),
    Term("self_attention", "", "n × n", r"Q = X W_Q,\ K = X W_K,\ V = X W_V", place=_step("query")),
    Term("residual", "", "n × d_model", r"X + f(X)", "many_heads", _part("ablation")),
    Term("broadcast", lesson="many_heads", place=_part("code")),
    Term("recurrent", "", "n × d", r"h_t = f(W x_t + U h_{t-1})", "cost", _part("compare")),
    Term("path", lesson="cost", place=_part("paths")),
    Term("induction", lesson="worked_examples", place=_part("gallery")),
    Term("special_token", "[CLS],\\ [SEP]", lesson="real_heads", place=_part("which_head")),
    Term(
        "gradient_times_input",
        "",
        "",
        r"x_j \cdot \partial f / \partial x_j",
        "real_heads",
        _part("explain_yours"),
    ),
    Term("rank_correlation", r"\rho", "", "", "real_heads", _part("explain")),
    Term("cell", r"s_{ij}"),
    Term("undo"),
)
BY_KEY = {term.key: term for term in TERMS}
