"""Methods of strings, sets and dicts that choose names and sizes of a fusion."""
import torch
from nvfuser_direct import DataType, FusionDefinition


def test_strings():
    name, sep, dtype = "relu/bfloat16".partition("/")
    assert (name, sep, dtype) == ("relu", "/", "bfloat16") and "relu".partition("/") == ("relu", "", "")
    assert "a.b.c".rpartition(".") == ("a.b", ".", "c") and "a.b.c".rsplit(".", 1) == ["a.b", "c"]
    assert "a.b.c".split(".", maxsplit=1) == ["a", "b.c"] and "xxabxx".strip("x") == "ab"
    assert "-7".zfill(4) == "-007" and "ab".ljust(4, ".") == "ab.." and "ab".rjust(3) == " ab"
    assert "ab".center(5, "*") == "**ab*" and "abc".center(6, "*") == "*abc**"
    assert "matMul op".title() == "Matmul Op" and "matMul".capitalize() == "Matmul" and "aB".swapcase() == "Ab"
    assert "abc".startswith(("x", "ab")) and not "abc".endswith(("x", "ab"))
    assert "ab1".isalnum() and not "ab1".isalpha() and "AB".isupper() and "\t ".isspace() and "abcb".rfind("b") == 3
    sizes = {4, 8} | {16}
    sizes.intersection_update([4, 8])
    assert sizes == {4, 8} and sizes.isdisjoint({16})
    sizes.difference_update({8})
    n = sizes.pop()
    key, m = {"rows": 2, "columns": 6}.popitem()
    assert key == "columns"
    with FusionDefinition() as fd:
        x = fd.define_tensor([n, m], dtype=getattr(DataType, {"bfloat16": "BFloat16"}[dtype]))
        fd.add_output(getattr(fd.ops, name)(x))
    fd.execute([torch.randn(4, 6, dtype=getattr(torch, dtype), device="cuda")])
