"""The Chinese texts keep to their terms and to their punctuation (pages: see tests/lessons/checkers.py)."""

import re

import pytest

from pages.draw import texts
from pages.draw.messages import sentence
from pages.draw.texts import Texts
from pages.model.entries import SettingsError
from tests.lessons.sentences import as_read, shows_asterisks, with_latin_marks
from tests.support.course import LESSONS, REFERENCE
from tests.support.programs import ROOT

# Wordings that were corrected, as patterns, and what is written instead.
INSTEAD = {
    r"(?<!取)指数(?!值|函数)": "指数值 for the value of exp; 指数 is the exponent",
    r"(?<!样)对数越|抽样对数": "样本对的个数",
    r"\d 位数": "16 位浮点数",
    r"图库": "掩码一览",
    r"计算图|整幅图": "计算过程",
    r"[除过]之[前后]": "缩放前、缩放后、归一化前、归一化后",
    r"印出|印了": "给出",
    r"可长可短|很长的值|值可能很短|那一行最长|自己更长": "范数大、范数小",
    r"循环走|外层走": "循环遍历",
    r"那一份|各份": "贡献",
    r"误拒": "误判为错",
    r"放[得不]下|装不下": "能表示、不能表示、不支持",
    r"每条文本一个的": "每条文本各有一个",
    r"教师用页": "教师专页",
    r"快波|慢波|同一速度|更慢的[波对]": "频率、高频、低频",
    r"一对分量|[的各]对[，会]|第几对": "分量对",
    r"学习的数|学到的增益": "可学习参数、可学习的增益",
    r"最负的": "最小的有限数",
    r"全部被屏蔽的行": "整行被屏蔽、被屏蔽的整行",
    r"极性": "True 的含义",
    r"大容量存储|快速存储|慢速存储|小存储": "显存（HBM）、片上 SRAM",
    r"[前反]向计算": "前向传播、反向传播",
    r"使用时的|正在使用": "推理时",
    r"相符|相配": "匹配",
    r"批次|(?<![一成])批(?!量)": "批量、批量大小",
    r"每句话|[一两]句话[、用时]|第 .{1,8} 句|(?<!正确的)句数": "文本",
    r"移动的(注意力)?权重|移动了 \S+ 的注意力权重": "转移的权重",
    r"运算量|工作量": "计算量",
    r"检验": "检查",
    r"本节|”一节": "部分",
    r"所有课程|自注意力课程": "课",
    r"膨胀": "空洞卷积、空洞率",
    r"因子": "系数",
    r"左侧(有?填充|加上填充)": "左填充",
    r"原句": "源句",
    r"对数轴": "对数坐标",
    r"等(人 |，| |（)\d{4}": "Dao 等人（2022）",
    r"关掉": "关闭",
    r"矩阵乘积": "矩阵乘法",
    r"Softmax": "softmax",
    r"（批": "(b, n, n)",
    r"老师": "教师",
    r"本站|本应用|本项目|演示页面|教学面板": "本课程；代码是 attention 包",
    r"(?<!随机)种子": "随机种子",
    r"(?<!每个)头 (\{\w+\}|\d)(?! 个)": "第 2 个头",
    r"(你|自己|自带|当前)的数字": "数值",
    r"正确率": "准确率",
    r"0,58": "comma decimals are unknown in China",
    r"首个": "第一个",
    r"去除": "除以；去除 is to remove",
    r"没有做任何更改": "没有作任何改动",
    r"容纳(不下|哪些)": "表示",
    r"框标出|方框标": "圈出",
    r"平均关注|更平均": "均匀、权重相同",
    r"移动任何|移动最多": "转移",
    r"没有位置信息|位置信息(使|没有)": "位置编码",
    r"学习笔记 \d|一[篇]\S{0,2}笔记": "一份学习笔记",
    r"、……": "、…",
    r"点击(?!或点按|：)": "选择, of a button 按: a hint is true of a mouse and of a finger",
    r"(?<![\d,.])\d{4,} (个|行|字节|上)": "2,048, as the code writes counts",
}
TYPED = "also."  # what a visitor may type to find a term
DATA = ("columns.", "outputs.")  # names of columns, which the code takes apart at the commas


def written() -> dict[str, str]:
    """All that is in the Chinese files, by file and key."""
    folders = [
        texts.SHARED,
        texts.SHARED / "glossary",
        *(texts.LESSONS / name for name in (*LESSONS, *REFERENCE)),
    ]
    results = {"README": (ROOT / ".github/README.zh.md").read_text("utf-8")}
    for folder in folders:
        table = texts.table("zh", folder)
        results |= {f"{folder}: {key}": text for key, text in table.items() if not key.startswith(TYPED)}
    return results


WRITTEN = written()


@pytest.mark.parametrize("wording", INSTEAD)
def test_what_was_corrected_does_not_come_back(wording):
    results = {key: text for key, text in WRITTEN.items() if re.search(wording, text)}
    assert not results, f"instead: {INSTEAD[wording]}"


def test_bold_words_show_no_asterisks():
    plain = {key: as_read(re.sub(r"\{\w+\}", "字", text)) for key, text in WRITTEN.items()}
    assert [key for key, text in plain.items() if shows_asterisks(text)] == []


def test_the_texts_have_chinese_punctuation():
    texts_only = {key: text for key, text in WRITTEN.items() if not key.split(": ")[-1].startswith(DATA)}
    assert {key: marks for key, text in texts_only.items() if (marks := with_latin_marks(text))} == {}


@pytest.mark.parametrize(("language", "near", "far"), [("en", "a, b", "a, b; c"), ("zh", "a、b", "a、b；c")])
def test_a_list_has_the_separators_of_its_language(language, near, far):
    t = Texts(language)
    assert t.listed("ab") == near
    assert t.listed([near, "c"], apart=True) == far


@pytest.mark.parametrize(("language", "listed"), [("en", "1, 2, 4"), ("zh", "1、2、4")])
def test_a_refusal_lists_the_choices_as_its_language_does(language, listed):
    facts = {"num_heads": 3, "d_model": 4, "divisors": (1, 2, 4)}
    assert listed in sentence(Texts(language), SettingsError("heads_do_not_divide", **facts))
