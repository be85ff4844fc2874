"""The terms: symbol, shape and formula of each. The words are texts; lessons declare what they treat."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A term. Its texts are `name.<key>` and `says.<key>` of this folder, in both languages.

    `also.<key>` lists other words for it, which the search knows and no screen shows.

    symbol, formula  TeX, or nothing
    shape            the sizes of the matrix, or nothing; n queries, m keys
    step             the step of the computation that shows it, or nothing
    mask             the kind of mask that is its picture, or nothing
    """

    key: str
    symbol: str = ""
    shape: str = ""
    formula: str = ""
    step: str | None = None
    mask: str = ""


TERMS = (
    Term(
        "token",
        "x_i",
        "1 × d_model",
        r"X = \begin{pmatrix} x_1 \\ \vdots \\ x_n \end{pmatrix}",
        step="query",
    ),
    Term("embedding", "x_i", "1 × d_model", r"x_i = E_{t_i}"),
    Term(
        "attention",
        formula=r"\mathrm{softmax}\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}}\right)V",
    ),
    Term("scaled_dot_product", "", "", r"\mathrm{softmax}\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}}\right)V"),
    Term("query", "Q", "n × dₖ", r"Q = X W_Q", step="query"),
    Term("key", "K", "m × dₖ", r"K = X W_K", step="key"),
    Term("value", "V", "m × dᵥ", r"V = X W_V", step="value"),
    Term("weight_matrix", r"W_Q,\ W_K,\ W_V,\ W_O", "d_model × dₖ", r"Q = X W_Q", step="query"),
    Term("linear", "", "", r"q = x\,W_Q"),
    Term("three_matrices", "", "", r"Q = X W_Q,\ K = X W_K,\ V = X W_V"),
    Term("score", "S", "n × m", r"S = QK^{\mathsf T}, \quad s_{ij} = q_i \cdot k_j", step="scores"),
    Term("scaling", r"1/\sqrt{d_k}", "", r"\frac{s_{ij}}{\sqrt{d_k}}"),
    Term("scaled_score", "", "n × m", r"\frac{QK^{\mathsf T}}{\sqrt{d_k}}", step="scaled_scores"),
    Term("masked_score", "", "n × m", r"s_{ij} \to -\infty", step="masked_scores"),
    Term(
        "softmax",
        formula=r"p_j = \frac{e^{s_j}}{\sum_l e^{s_l}}",
    ),
    Term("weights", "A", "n × m", r"\sum_j a_{ij} = 1, \quad a_{ij} \ge 0", step="weights"),
    Term("weighted_sum", "", "", r"o_i = \sum_j a_{ij} v_j"),
    Term("dynamic_weights"),
    Term("output", "O", "n × dᵥ", r"o_i = \sum_j a_{ij} v_j", step="output"),
    Term("mask", "M", "n × m", mask="custom"),
    Term("visible", "", "", r"s_{ij} \to -\infty \;\Rightarrow\; a_{ij} = 0"),
    Term("fully_masked", "", "", r"s_{i1} = \dots = s_{im} = -\infty"),
    Term("causal", "", "n × n", r"j \le i", mask="causal"),
    Term("padding", "", "n × m", r"j \le L", mask="padding"),
    Term("window", "", "n × n", r"i - l \le j \le i + r", mask="window"),
    Term("prefix", "", "n × n", r"j \le \max(i, p)", mask="prefix"),
    Term("packed", "", "n × n", mask="packed"),
    Term("cross_attention", "", "n × m", r"Q = X W_Q,\ K = Y W_K,\ V = Y W_V"),
    Term("head", "h", "", r"O_i = A_i V_i"),
    Term("single_head", "h = 1", "", r"O = AV"),
    Term("multi_head", "h > 1", "", r"[O_1, \dots, O_h]\, W_O"),
    Term("concatenated", "", "n × h·d_v", r"[O_1, \dots, O_h]"),
    Term(
        "output_projection",
        "W_O",
        "h·d_v × d_model",
        r"[O_1, \dots, O_h]\, W_O",
    ),
    Term("kv_heads", "", "", r"h_{kv} \mid h"),
    Term("kv_cache", "", "n × h_kv·(d_k + d_v)"),
    Term("grouped_query", "", "", r"1 < h_{kv} < h"),
    Term("multi_query", "", "", r"h_{kv} = 1"),
    Term("temperature", "T", "", r"\mathrm{softmax}(s / T)"),
    Term("entropy", "H", "", r"H = -\sum_j p_j \log_2 p_j"),
    Term("effective_keys", "", "", r"2^H"),
    Term("argmax", "", "", r"T \to 0"),
    Term("margin", "", "", r"s_{(1)} - s_{(2)}"),
    Term("saturated", "", "", r"\max_j p_j \approx 1, \quad J \approx 0"),
    Term(
        "jacobian",
        "J",
        "m × m",
        r"J_{ij} = \frac{\partial p_i}{\partial s_j} = p_i(\delta_{ij} - p_j)",
    ),
    Term(
        "norm",
        r"\lVert \cdot \rVert",
        "",
        r"\lVert M \rVert = \sqrt{\textstyle\sum_{ij} m_{ij}^2}",
    ),
    Term("gradient", r"\partial L / \partial W_Q", "d_model × dₖ"),
    Term("loss", "L", "", r"L = -\tfrac{1}{N} \sum_i \log p_i"),
    Term(
        "gradient_descent",
        r"\eta",
        "",
        r"W \leftarrow W - \eta\, \partial L / \partial W",
    ),
    Term(
        "dropout",
        "p",
        "",
        r"a_{ij} \to 0, \quad a_{ij} \to \frac{a_{ij}}{1 - p}",
    ),
    Term("batch", "b", "b × n × d_model"),
    Term("positional_encoding", "P", "n × d_model", r"X + P"),
    Term(
        "sinusoidal",
        "",
        "n × d_model",
        r"\sin(i\,\omega_k),\ \cos(i\,\omega_k), \quad \omega_k = b^{-2k/d_{\text{model}}}",
    ),
    Term("rotary", r"\theta", "", r"\theta = i\, b^{-2k/d_k}"),
    Term("alibi", "m", "n × m", r"\frac{s_{ij}}{\sqrt{d_k}} - m\,|i - j|"),
    Term("flash_attention"),
    Term("tile", "", "B_q × B_k"),
    Term(
        "online_softmax",
        "",
        "",
        r"\ell \leftarrow \ell\, e^{m - m'} + e^{s_j - m'}",
    ),
    Term("logsumexp", "", "", r"\log \sum_j e^{s_j} = m + \log \ell"),
    Term("attention_sink", "", "", r"a_j = \frac{e^{s_j}}{e^{z} + \sum_l e^{s_l}}"),
    Term("global_layer"),
    Term("latent_attention", "c", "n × r", r"c = X W_D,\ K = c\, W_{UK},\ V = c\, W_{UV}"),
    Term("linear_attention", "", "", r"(QK^{\mathsf T})V = Q(K^{\mathsf T}V)"),
    Term("self_attention", "", "n × n", r"Q = X W_Q,\ K = X W_K,\ V = X W_V", step="query"),
    Term("layer", "", "n × d_model"),
    Term("residual", "", "n × d_model", r"X + f(X)"),
    Term("feed_forward", "", "n × d_model", r"f(x W_1 + b_1)\,W_2 + b_2"),
    Term("layer_norm", "", "n × d_model", r"g \odot \frac{x - \mu}{\sigma} + b"),
    Term("logits", "L", "", r"p = \mathrm{softmax}(L)"),
    Term("transformer"),
    Term("encoder"),
    Term("decoder"),
    Term("broadcast"),
    Term("recurrent", "", "n × d", r"h_t = f(W x_t + U h_{t-1})"),
    Term("convolutional", "", "n × d", r"h_t = \sum_{j} W_j\, x_{t+j}"),
    Term("long_range"),
    Term("parallel"),
    Term("complexity", r"O(\cdot)", "", r"O(n^2 d)"),
    Term("path"),
    Term("previous_head", "", "", r"a_{i,i-1} \approx 1"),
    Term("induction"),
    Term("residual_stream", "", "n × d_model", r"X + f_1(X) + f_2(\dots)"),
    Term("composition", "", "", r"\frac{\lVert A B \rVert}{\lVert A \rVert\, \lVert B \rVert}"),
    Term("circuit", "", "d_model × d_model", r"W_Q W_K^T,\quad W_V W_O"),
    Term("special_token", "[CLS],\\ [SEP]"),
    Term(
        "gradient_times_input",
        "",
        "",
        r"x_j \cdot \partial f / \partial x_j",
    ),
    Term("rank_correlation", r"\rho"),
    Term("cell", r"s_{ij}"),
    Term("undo"),
)
