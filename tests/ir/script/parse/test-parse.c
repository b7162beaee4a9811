#include "script/script.h"

#include <string.h>

/* Returns the positions and messages of the syntax errors of @text, one per line. */
static char *
get_errors (const char *text)
{
  g_autoptr (GPtrArray) diagnostics =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  g_autoptr (HirSource) source = hir_source_new ("test.py", text, -1);
  g_autoptr (HirScript) script = hir_script_parse (source, diagnostics);
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < diagnostics->len; i++)
    {
      const HirDiagnostic *diagnostic = diagnostics->pdata[i];

      g_assert_cmpint (diagnostic->code, ==, HIR_ERROR_SYNTAX);
      g_string_append_printf (all, "%u:%u %s\n", diagnostic->pos.line, diagnostic->pos.column,
                              diagnostic->message);
    }
  return g_string_free (all, FALSE);
}

static void
assert_errors (const char *text, const char *expected)
{
  g_autofree char *errors = get_errors (text);

  g_assert_cmpstr (errors, ==, expected);
}

static void
assert_good (const char *text)
{
  assert_errors (text, "");
}

static void
test_expressions (void)
{
  assert_good ("x = a if b else lambda *p, q=1, **r: (yield)\n");
  assert_good ("x = [*a, *b], {**c, 'd': 1}, {1, *e}, (f,), ()\n");
  assert_good ("x = a[1:2, ::3, ...], b[*c], d[:], e[f:=1]\n");
  assert_good ("x = [i async for i in a if b if c for j in d]\n");
  assert_good ("print(*a, b, *c, d=1, **e, f=2)\nf(x for x in y)\n");
  assert_good ("x = not a in b is not c not in d < e == f\n");
  assert_good ("x = -a ** -b @ ~c // +d % e | f ^ g & h << i\n");
  assert_good ("x = 1_0.5e-1_0j + 0xFFFF_FFFF_FFFF_FFFF_FFFF + b'\\x00' b'a' + u'a' 'b'\n");
  assert_good ("x = f'{a!r:>{w}.{p}}' f\"{b['c']}\" f'{d=}' f'{{}}' rf'\\{e}' f'{x:%H:%M}'\n");
  assert_good ("if (n := f(x)) > 1: pass\n");
  assert_good ("x = await_ = type = match = case = _ = 1\n");
}

static void
test_statements (void)
{
  assert_good ("a, *b = c[0].d, (e) = f = yield\n");
  assert_good ("a: int = 1\nb.c: 'x'\nd[0]: List[int] = yield\n");
  assert_good ("x @= y; x //= y; x **= y; x >>= y;\n");
  assert_good (
      "from . import a\nfrom ...b.c import (d as e, f,)\nimport g.h as i, j\nfrom k import *\n");
  assert_good (
      "with a as b, c: pass\nwith (a as b, c as d,): pass\nwith (a), (b): pass\nwith (a, b): pass\n"
      "with (a, b) as c: pass\nwith (yield): pass\n");
  assert_good ("try: pass\nexcept A as e: pass\nexcept (B, C): pass\nexcept: pass\nelse: "
               "pass\nfinally: pass\n");
  assert_good ("try: pass\nexcept* A: pass\n");
  assert_good ("for x, *y in a, *b: pass\nelse: pass\nwhile x: break\nelse: continue\n");
  assert_good ("async def f():\n  async with a: pass\n  async for b in c: await d\n");
  assert_good ("@a.b(c)\n@d := e\nclass F[T: int, *U, **V = int](G, metaclass=H): x: int\n");
  assert_good ("type X[T] = list[T]\ntype = 1\ntype(x)\n");
  assert_good ("del a, b[0], (c, d)\nassert a, b\nraise A from b\nglobal x, y\n");
}

static void
test_match (void)
{
  assert_good ("match x, y:\n"
               "  case 1 | -2 | 'a' 'b' | None: pass\n"
               "  case [a, *_, b] | (c, d): pass\n"
               "  case {'k': v, **rest} if v: pass\n"
               "  case Point(0, y=z) as p: pass\n"
               "  case a.b.c: pass\n"
               "  case 1 + 2j: pass\n"
               "  case a, *b: pass\n"
               "  case _: pass\n");
  assert_good ("match w := x,:\n  case _: pass\n");
  assert_good (
      "match = 1\nmatch[0] = 2\nmatch(x)\nmatch * 2\nmatch.case = match\nprint(match, case)\n");
  assert_errors ("match x:\n  case 1 2: pass\n  case 3: pass\ny = (\n",
                 "2:10 ':' of a case was expected, not '2'\n4:5 this bracket is never closed\n");
}

static void
test_several_errors (void)
{
  assert_errors ("x = = 1\n"
                 "def f(a, b=1, c):\n"
                 "    y = 2 +\n"
                 "    return y\n"
                 "f() = 3\n"
                 "if x\n"
                 "    z = 1 1\n"
                 "good = 1\n"
                 "print 'old'\n",
                 "1:5 an expression was expected, not '='\n"
                 "2:15 a parameter without default cannot follow one with a default\n"
                 "3:12 an expression was expected, not the end of line\n"
                 "5:1 a call cannot be assigned to\n"
                 "6:5 ':' of an if was expected, not the end of line\n"
                 "7:11 the end of line was expected, not '1'\n"
                 "9:7 the end of line was expected, not ''old''\n");
}

static void
test_error_limit (void)
{
  GString *text = g_string_new (NULL);
  g_autofree char *errors = NULL;
  g_auto (GStrv) lines = NULL;

  for (guint i = 0; i < 50; i++)
    g_string_append (text, "x = )\n");
  errors = get_errors (text->str);
  lines = g_strsplit (errors, "\n", 0);
  g_assert_cmpuint (g_strv_length (lines), ==, 21); /* 20 and an empty string */
  g_assert_true (g_str_has_prefix (lines[19], "20:5 "));
  g_string_free (text, TRUE);
}

static void
test_single_errors (void)
{
  assert_errors ("(a, b += 1)\n", "1:7 ')' to close '(' was expected, not '+='\n");
  assert_errors ("\xc3\xa4\xc3\xb6 = (\n", "1:6 this bracket is never closed\n");
  assert_errors ("f'{a'\n", "1:3 a field of this f-string is never closed: '}' is missing\n");
  assert_errors ("f'{}'\n", "1:4 a field of an f-string needs an expression\n");
  assert_errors ("f'}'\n", "1:3 a lone '}' in an f-string; write '}}'\n");
  assert_errors ("f'{a b}'\n", "1:6 the end of the field was expected, not 'b'\n");
  assert_errors ("'\\x1'\n", "1:2 the escape '\\x' needs 2 hexadecimal digits\n");
  assert_errors ("b'\xc3\xa4'\n", "1:3 bytes hold ASCII characters only; write others as \\x..\n");
  assert_errors ("f(a=1, b)\n", "1:8 a positional argument cannot follow a keyword argument\n");
  assert_errors ("def f(a, a): pass\n", "1:10 there are two parameters 'a'\n");
  assert_errors ("try: pass\n", "1:1 a try needs an except or a finally\n");
  assert_errors ("if x:\npass\n", "1:1 an indented block must follow the ':' of an if\n");
  assert_errors ("x = 1\n  y = 2\n", "2:3 this line is indented without need\n");
  assert_errors ("{1: 2, 3}\n",
                 "1:8 every entry of a dict needs ':', and no member of a set may have one\n");
}

/* Deep nesting is an error, not a crash. */
static void
test_deep_nesting (void)
{
  static const char *const openings[] = { "(",    "[",        "{",  "-",
                                          "not ", "lambda: ", "~",  "1 if 1 else ",
                                          "1**",  "f(",       "a[", "1+",
                                          "{1:",  "f'{" };

  for (guint i = 0; i < G_N_ELEMENTS (openings); i++)
    {
      GString *text = g_string_new ("x = ");
      g_autofree char *errors = NULL;

      for (guint j = 0; j < 10000; j++)
        g_string_append (text, openings[i]);
      g_string_append (text, "1\n");
      errors = get_errors (text->str);
      if (strchr ("(-n~1a", openings[i][0]) != NULL)
        g_assert_nonnull (strstr (errors, "nested too deeply"));
      g_assert_cmpstr (errors, !=, "");
      g_string_free (text, TRUE);
    }
}

static void
test_deep_blocks (void)
{
  GString *text = g_string_new (NULL);
  g_autofree char *errors = NULL;

  for (guint i = 0; i < 200; i++)
    g_string_append_printf (text, "%*sif x:\n", (int) i, "");
  g_string_append_printf (text, "%200spass\n", "");
  errors = get_errors (text->str);
  g_assert_nonnull (strstr (errors, "nested too deeply"));
  g_string_free (text, TRUE);
}

static void
test_functions (void)
{
  g_autoptr (HirSource) source =
      hir_source_new ("test.py",
                      "@a\n"
                      "@b\n"
                      "async def f(p, /, q: int = 1 + 2, *r, s=(3), **t: 'u'):\n"
                      "  class G:\n"
                      "    def h(self): pass\n"
                      "  if x:\n"
                      "    def i(*, j): pass\n",
                      -1);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  g_autoptr (GPtrArray) functions = hir_script_dup_functions (script);
  const HirScriptFunction *f, *h, *i;
  const HirScriptParam *q;

  g_assert_cmpuint (functions->len, ==, 3);
  f = functions->pdata[0];
  h = functions->pdata[1];
  i = functions->pdata[2];
  g_assert_cmpuint (f->pos.line, ==, 3);
  g_assert_true (f->is_async);
  g_assert_cmpuint (f->params->len, ==, 5);
  for (guint k = 0; k < 5; k++)
    g_assert_cmpint (((HirScriptParam *) f->params->pdata[k])->kind, ==, (int) k);
  q = f->params->pdata[1];
  g_assert_cmpstr (q->name, ==, "q");
  g_assert_cmpstr (q->annotation, ==, "int");
  g_assert_cmpstr (q->default_value, ==, "1 + 2");
  g_assert_cmpstr (h->qualified_name, ==, "f.G.h");
  g_assert_cmpstr (i->qualified_name, ==, "f.i");
  g_assert_cmpuint (i->pos.line, ==, 7);
  g_assert_cmpint (((HirScriptParam *) i->params->pdata[0])->kind, ==,
                   HIR_SCRIPT_PARAM_KEYWORD_ONLY);
}

static char *
list_candidates (const char *path)
{
  g_autofree char *full =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", path, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_script_load (full, &error);
  g_autoptr (HirScript) script = NULL;
  g_autoptr (GPtrArray) candidates = NULL;
  GString *names = g_string_new (NULL);

  g_assert_no_error (error);
  script = hir_script_parse (source, NULL);
  candidates = hir_script_dup_candidates (script);
  for (guint i = 0; i < candidates->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? " " : "",
                            ((HirScriptFunction *) candidates->pdata[i])->name);
  return g_string_free (names, FALSE);
}

static void
test_candidates (void)
{
  g_autofree char *tests = list_candidates ("as_people_write_tests.py"),
                  *multi = list_candidates ("multi_device.py");
  g_autofree char *single = list_candidates ("single_device.py");

  g_assert_cmpstr (tests, ==, "row_parallel test_allreduce_by_streams LegacyModel");
  g_assert_cmpstr (multi, ==,
                   "allgather allreduce reduce_scatter ag_matmul allgather_p2p matmul_AR "
                   "matmul_RS_through_bcast AG_matmul_P2p");
  g_assert_true (
      g_str_has_prefix (single,
                        "single_set_op single_set_op_non_outermost single_binary_op two_set_ops"));
  g_assert_nonnull (strstr (single, "matmul_m"));
  g_assert_null (strstr (single, "contig"));
}

/* Functions of older scripts fill an `fd` parameter. Helpers that only create tensors are not
 * candidates. */
static void
test_filling_candidates (void)
{
  g_autoptr (HirSource) source =
      hir_source_new ("test.py",
                      "def nvfuser_fusion_id0(fd : FusionDefinition) -> None :\n"
                      "    T0 = contig(fd)\n"
                      "    fd.add_output(T0)\n"
                      "def contig(fd): return fd.define_tensor([1])\n"
                      "def block(fd, x: TensorView): fd.add_output(x)\n"
                      "async def later(fd): fd.add_output(1)\n"
                      "with FusionDefinition() as fd:\n"
                      "    nvfuser_fusion_id0(fd)\n",
                      -1);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  g_autoptr (GPtrArray) candidates = hir_script_dup_candidates (script);

  g_assert_cmpuint (candidates->len, ==, 1);
  g_assert_cmpstr (((HirScriptFunction *) candidates->pdata[0])->name, ==, "nvfuser_fusion_id0");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/script/parse/expressions", test_expressions);
  g_test_add_func ("/script/parse/statements", test_statements);
  g_test_add_func ("/script/parse/match", test_match);
  g_test_add_func ("/script/parse/several-errors", test_several_errors);
  g_test_add_func ("/script/parse/error-limit", test_error_limit);
  g_test_add_func ("/script/parse/single-errors", test_single_errors);
  g_test_add_func ("/script/parse/deep-nesting", test_deep_nesting);
  g_test_add_func ("/script/parse/deep-blocks", test_deep_blocks);
  g_test_add_func ("/script/parse/functions", test_functions);
  g_test_add_func ("/script/parse/candidates", test_candidates);
  g_test_add_func ("/script/parse/filling-candidates", test_filling_candidates);
  return g_test_run ();
}
