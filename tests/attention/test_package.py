"""What the package is made of: its names, its imports, and source lines a screen can show."""

import inspect
import re
import subprocess
import sys
from pkgutil import walk_packages

import pytest
import torch

import attention
from attention import lab, multi_head_attention, scaled_dot_product_attention

COMPUTED = [
    "scores",
    "scaled_scores",
    "softcapped_scores",
    "biased_scores",
    "masked_scores",
    "weights",
    "dropped_weights",
    "output",
]
PROJECTED = [
    "query",
    "key",
    "value",
    "query_heads",
    "key_heads",
    "value_heads",
    "head_output",
    "concatenated",
    "output",
]


def lines_of(function, name):
    lines = inspect.getsource(function).splitlines()
    return [line.strip() for line in lines if line.strip().startswith(f"{name} = ")]


@pytest.mark.parametrize("name", COMPUTED)
def test_a_step_of_attention_is_one_line(name):
    assert len(lines_of(scaled_dot_product_attention, name)) == 1


@pytest.mark.parametrize("name", PROJECTED)
def test_a_step_of_multi_head_attention_is_one_line(name):
    assert len(lines_of(multi_head_attention, name)) == 1


@pytest.mark.parametrize("function", [scaled_dot_product_attention, multi_head_attention])
def test_a_line_is_whole(function):
    for name in {*COMPUTED, *PROJECTED}:
        for line in lines_of(function, name):
            compile(line, name, "exec")


def test_every_computed_step_is_in_the_list_of_lines():
    ones = torch.ones(2, 2)
    trace = scaled_dot_product_attention(ones, ones, ones, bias=ones, softcap=1.0, dropout_p=0.5)
    assert [step.name for step in trace.steps()] == ["query", "key", "value", *COMPUTED]


def test_every_public_name_is_there_and_explained():
    assert sorted(attention.__all__) == attention.__all__
    assert all(getattr(attention, name).__doc__ for name in attention.__all__)


PUBLIC = [getattr(attention, name) for name in attention.__all__]
METHODS = [public.forward for public in PUBLIC if hasattr(public, "forward")]
CALLED = [public for public in PUBLIC if inspect.isfunction(public) or hasattr(public, "forward")]


@pytest.mark.parametrize("called", [*CALLED, *METHODS], ids=lambda called: called.__qualname__)
def test_every_argument_is_named_in_the_signature(called):
    kinds = {parameter.kind for parameter in inspect.signature(called).parameters.values()}
    assert kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}


def test_the_core_imports_only_pytorch_and_the_standard_library():
    # what `import attention` adds to what `import torch` has loaded
    code = (
        "import sys, torch\n"
        "before = set(sys.modules)\n"
        "import attention\n"
        "added = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(added - set(sys.stdlib_module_names)))\n"
        "print(sorted({'streamlit', 'pandas', 'altair'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['attention']", "[]"]


def test_the_lab_says_what_is_where():
    """Its list names every package and, below it, every module in it, and nothing else."""
    named, package = [], ""
    for indent, name in re.findall(r"^( {4})?(\w+) {2,}\S.*$", lab.__doc__, re.M):
        package = package if indent else name
        named.append(f"{package}.{name}" if indent else name)
    result = walk_packages(lab.__path__, "attention.lab.")
    assert sorted(named) == sorted(module.name.removeprefix("attention.lab.") for module in result)
