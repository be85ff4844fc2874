"""The names that the steps go by in notes, textbooks and assistants' answers, in English and in Chinese."""

import functools
import re
from typing import NamedTuple

# The first name is written back. Case, spaces and marks do not count: attention_weights is attentionweights.
TABLE = """
x: x input inputs embedding embeddings inputembedding inputembeddings tokenembeddings wordembeddings
x: 输入 嵌入 词嵌入 词向量 输入嵌入
w_q: w_q queryweight queryweights queryweightmatrix queryprojection 查询权重 查询权重矩阵 查询投影
w_k: w_k keyweight keyweights keyweightmatrix keyprojection 键权重 键权重矩阵 键的权重矩阵 键投影
w_v: w_v valueweight valueweights valueweightmatrix valueprojection 值权重 值权重矩阵 值的权重矩阵 值投影
query: q query queries xwq 查询
key: k key keys xwk 键
value: v value values xwv 值
scores: s score scores rawscores rawattentionscores attentionscore attentionscores unscaledscores
scores: beforescaling dotproducts dotproductscores qkt
scores: 分数 得分 注意力分数 注意力得分 原始分数 原始注意力分数 缩放前 点积
scaled_scores: scaled scaledscores s_scaled scaledattentionscores scaleddotproducts scaledqkt afterscaling
scaled_scores: qkt/√dk s/√dk scores/√dk 缩放 缩放后 缩放分数 缩放后的分数 缩放后的注意力分数
exponentials: exp exps exponentials 指数值 exp值 指数
sums: sum sums rowsum rowsums 总和 行和
weights: a weight weights attentionweight attentionweights attnweights attentionmatrix attentionweightmatrix
weights: attentionprobabilities probabilities softmax softmaxoutput softmaxoutputs softmaxresult
weights: softmaxweights aftersoftmax softmax后 经过softmax后 alpha α
weights: 权重 注意力权重 注意力权重矩阵 注意力矩阵 注意力概率
weights: softmax输出 softmax的输出 softmax结果 softmax的结果
w_o: w_o outputweight outputweights outputprojection 输出权重 输出权重矩阵 输出投影
b_q: b_q
b_k: b_k
b_v: b_v
b_o: b_o
y: y
output: o output outputs attentionoutput attentionoutputs context contexts z av weightsv
output: attentionweightsv weightedsum weightedsumofvalues 输出 注意力输出 上下文 加权和
tokens: tokens 词元
d_k: d_k dk
divisor: divisor √dk sqrtdk 除数
noise: the this these our so then thus now here we get have let be is are of as follows following final
noise: resulting result results print apply compute computed calculate calculated obtain
noise: matrix matrices vector vectors tensor weightmatrix projectionmatrix
noise: 的 矩阵 向量 结果 计算 得到 最终 为 是 如下 权重矩阵 投影矩阵
"""
NAMES: dict[str, tuple[str, ...]] = {}
for line in TABLE.split("\n")[1:-1]:
    step, _, names = line.partition(":")
    NAMES[step] = (*NAMES.get(step, ()), *names.split())
NOISE = NAMES.pop("noise")  # words next to a name that do not change what it means
STEP_OF = {name.replace("_", ""): step for step, names in NAMES.items() for name in names}
SYMBOLS = {step: names[0] for step, names in NAMES.items()}
LONGEST, MOST_WORDS = 120, 20

# In all that follows a run of spaces is one space already and a count has at most four digits: no expression
# can match the same text in many ways.
COUNT = "[0-9]{1,4}"
SIZE = rf"(?:d_?k|{COUNT}(?:\.{COUNT})?)"
INNER = rf"{{0,{LONGEST}}}"
# Formulas, and the one word that each becomes.
FORMULAS = [
    (re.compile(r"\( ?(?:÷|/|divided by|除以)[^()]*\)"), "(afterscaling)"),
    (re.compile(r"\bq ?[·⋅@×]? ?k(?:\^? ?[t⊤ᵀ]|\.t)(?!\w)"), "qkt"),
    (re.compile(rf" ?/ ?(?:√|sqrt) ?(?:{SIZE}|\( ?{SIZE} ?\))"), "/√dk"),
    (re.compile(r"\bx ?[·⋅@×]? ?w[_^]?([qkv])\b"), r"xw\1"),
    (re.compile(r"\b(a|weights) ?[·⋅@×] ?v\b"), r"\1v"),
    (re.compile(rf"softmax ?\([^0-9]{INNER}\) ?[·⋅@×]? ?v\b"), "av"),
    (re.compile(rf"(softmax|exp) ?(?:\([^0-9,]{INNER}\)|of\b[^()]{INNER})"), r"\1"),
    (re.compile(r"attention ?\( ?q ?, ?k ?, ?v ?\)"), "av"),
]

# Words that may make another step of it, or one that is not computed here; and what may do so in brackets.
OTHER = re.compile(r"scal|softmax|mask|transpos|\bheads?\b|缩放|掩码|转置|头", re.I)
DOUBT = re.compile(rf"{OTHER.pattern}|before|after|前|后|\[|[a-z]_?[0-9]|\A[0-9 ,.]+\Z", re.I)

# "Step 3: ", "2. ", "第三步："
ORDINAL = re.compile(
    rf"\A[ >*#•-]*+(?:(?:step|part|步骤) ?{COUNT}|第? ?[0-9一二三四五六七八九十]{{1,2}} ?步?)"
    r" ?[.):、：—–-]+ ?(?=[^\W\d]|[\[(])",
    re.I,
)
SHAPE = re.compile(rf"(?<!softmax)\( ?(?:shape:? ?)?\(? ?{COUNT} ?[×x*,] ?{COUNT} ?\)? ?\)")
TYPED = str.maketrans("（），：ₖᵥ₀₁₂₃₄₅₆₇₈₉", "(),:kv0123456789")
AT = re.compile(rf"\A([^\[]+)\[ ?({COUNT}) ?(?:(?:,|\] ?\[) ?({COUNT}) ?)?\] ?(?:\(.*\) ?)?")
NUMBERED = re.compile(rf"\A(.*?[^\W\d]) ?_? ?({COUNT})(?: ?, ?({COUNT}))?")
PAIRS = ("scores", "weights")  # s_12 is row 1, column 2


class NamedPlace(NamedTuple):
    """What a name means: a step, or one row or one number of it, counted from 0."""

    step: str
    row: int | None = None
    col: int | None = None
    transposed: bool = False
    numbered: bool = False  # as in q_1: the name of one row
    linear: bool = False  # a weight as nn.Linear keeps it


@functools.lru_cache(maxsize=1024)
def step_of(name: str) -> str | None:
    """The step that a name means; "tokens" and "d_k" for the tokens and d_k, None for another name."""
    if len(name) > LONGEST:
        return None
    name = SHAPE.sub(" ", _plain(name))
    for inner in re.findall(r"\(([^()]*)\)", name):
        if not DOUBT.search(inner) and not _steps(_words(inner)):
            name = name.replace(f"({inner})", " ")
    results = _steps(_words(name)) or frozenset()
    if results == {"scores", "scaled_scores"}:  # scaled scores, by whatever words
        return "scaled_scores"
    return next(iter(results)) if len(results) == 1 else None


@functools.lru_cache(maxsize=1024)
def place_of(name: str, first: int = 1) -> NamedPlace | None:
    """The step, and the row and column if the name has them. first: the number of the first row in q_1."""
    if len(name) > LONGEST:
        return None
    name = " ".join(name.translate(TYPED).split()).strip(" *>#•-–:：`$")
    if name.endswith((".weight", ".bias")):
        return _of_linear(name)
    if result := AT.fullmatch(name):
        step = step_of(result[1])
        column = None if result[3] is None else int(result[3])
        return None if step is None else NamedPlace(step, int(result[2]), column)
    if step := step_of(name):
        return NamedPlace(step)
    if re.fullmatch(r"k\^?\{?(?:t|⊤|ᵀ|\\top)\}?", _plain(name).strip()):
        return NamedPlace("key", transposed=True)
    return _numbered(_plain(name).strip(), first)


def _of_linear(name: str) -> NamedPlace | None:
    """self_attn.q_proj.weight, as a state_dict has it; nn.Linear.weight is (out, in)."""
    from attention.layer_names import OF_CONV1D, role_of  # PyTorch takes seconds to import

    letters, base, kind = role_of(name)
    if len(letters) != 1 or base in OF_CONV1D:  # several matrices in one, or (in, out) in GPT-2
        return None
    weight = kind == "weight"
    return NamedPlace(f"{'w' if weight else 'b'}_{letters}", transposed=weight, linear=weight)


def _numbered(name: str, first: int) -> NamedPlace | None:
    """q_1, s_12: numbered from `first`."""
    result = NUMBERED.fullmatch(name)
    step = result and step_of(result[1])
    if not result or step is None or step in ("tokens", "d_k", "divisor", "w_q", "w_k", "w_v"):
        return None
    numbers = result.groups()[1:]
    if step in PAIRS and len(numbers[0]) == 2 and numbers[1] is None:
        numbers = tuple(numbers[0])
    row, col = (None if count is None else int(count) - first for count in numbers)
    return None if row is None or row < 0 or (col or 0) < 0 else NamedPlace(step, row, col, numbered=True)


def _plain(name: str) -> str:
    """In small letters, without marks, with single spaces, and with what formulas say in one word each."""
    name = " ".join(re.sub(r"[${}`*]", "", name).translate(TYPED).lower().split())
    for formula, word in FORMULAS:
        name = formula.sub(word, name)
    return name


def _words(name: str) -> tuple[str, ...]:
    """Words; of Chinese, every character."""
    result = re.findall(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+(?:[_^/√]+[^\W_\u4e00-\u9fff]+)*|\S", name)
    return tuple(re.sub("[_^]", "", word) for word in result if word not in "_()（）:：-–—\"'“”,，")


def _steps(words: tuple[str, ...]) -> frozenset[str] | None:
    """The steps that these words name one after the other, noise left out; None where one is not known."""
    if len(words) > MOST_WORDS:
        return None
    steps: list[frozenset[str] | None] = [frozenset()]  # of the last words: none, one, two, …
    for start in reversed(range(len(words))):
        ends = range(len(words), start, -1)  # the longest name first
        named = (("".join(words[start:end]), steps[len(words) - end]) for end in ends)
        known = (
            rest | ({STEP_OF[name]} if name in STEP_OF else frozenset())
            for name, rest in named
            if rest is not None and (name in STEP_OF or name in NOISE)
        )
        steps.append(next(known, None))
    return steps[-1]
