/* Tests the search for undefined names. */
#include <string.h>

#include "script/parse/names.h"

static const char *
find_attribute (const char *module, const char *name)
{
  return strcmp (module, "nvfuser_direct") == 0 && strcmp (name, "FusionDefinitoin") == 0
             ? "FusionDefinition"
             : NULL;
}

/* Returns "LINE:COLUMN name suggestion" of each name that @text uses and does not define. */
static char *
dup_found (const char *text)
{
  g_autoptr (HirSource) source = hir_source_new ("f.py", text, -1);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  g_autoptr (GPtrArray) found = NULL;
  GString *all = g_string_new (NULL);

  g_assert_cmpuint (hir_script_get_n_errors (script), ==, 0);
  found = hir_names_dup_undefined (script, find_attribute);
  for (guint i = 0; i < found->len; i++)
    {
      const HirDiagnostic *one = found->pdata[i];
      g_auto (GStrv) words = g_strsplit (one->message, "'", -1);

      g_assert_cmpint (one->code, ==, HIR_WARNING);
      g_string_append_printf (all, "%s%u:%u %s%s%s", i > 0 ? ", " : "", one->pos.line,
                              one->pos.column, words[1], words[2] != NULL && words[3] ? " " : "",
                              words[2] != NULL && words[3] != NULL ? words[3] : "");
    }
  return g_string_free (all, FALSE);
}

static void
check (const char *text, const char *expected)
{
  g_autofree char *found = dup_found (text);

  g_assert_cmpstr (found, ==, expected);
}

static void
test_undefined (void)
{
  check ("import math\nx = mth.pi\n", "2:5 mth math");
  check ("def f(size):\n    return sise + 1\n", "2:12 sise size");
  check ("def f():\n    return lenn([])\n", "2:12 lenn len");
  check ("y = something_else\n", "1:5 something_else");
  check ("import nvfuser_direct\nfd = nvfuser_direct.FusionDefinitoin()\n",
         "2:21 FusionDefinitoin FusionDefinition");
  check ("import nvfuser_direct as nvf\nfd = nvf.FusionDefinitoin()\n",
         "2:10 FusionDefinitoin FusionDefinition");
  check ("from nvfuser_direct import FusionDefinitoin\n", "1:28 FusionDefinitoin FusionDefinition");
  /* Functions do not see the names of the class around them. */
  check ("class A:\n    size = 1\n    n = size\n    def f(self):\n        return size\n",
         "5:16 size");
  check ("class A(Bse):\n    pass\n", "1:9 Bse");
  check ("@deco\ndef f(a: Kind = default) -> Result:\n    pass\n",
         "1:2 deco, 2:29 Result, 2:10 Kind, 2:17 default");
  check ("x = [i for i in values if j]\n", "1:17 values, 1:27 j");
  check ("x = f'{a + 1}'\n", "1:8 a");
  check ("try:\n    a\nexcept ValueError:\n    b\n", "2:5 a, 4:5 b");
}

static void
test_defined (void)
{
  static const char *const texts[] = {
    /* the order does not count */
    "def f():\n    return later\nlater = 1\n",
    "def f():\n    global g\n    g = 1\ndef h():\n    return g\n",
    "def f():\n    return g\nclass A:\n    def h():\n        if 1:\n            global g\n",
    "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    return g\n",
    "import os.path, a.b as c\nos.path\nc\n",
    "from a import b as c, d\nc + d\n",
    "for i, (a, *b) in []:\n    i, a, b\n",
    "with open('f') as (a, b), c() as d:\n    a, b, d\ndef c():\n    pass\n",
    "try:\n    pass\nexcept OSError as e:\n    e\n",
    "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
    "try:\n    a\nexcept (KeyError, NameError):\n    pass\n",
    "try:\n    a\nexcept:\n    pass\n",
    "if (n := 1) > 0:\n    n\n[m := 1 for _ in [1]]\nm\n",
    "x: int\nx\n",
    "f = lambda a, *b, c=1, **d: (a, b, c, d)\n",
    "x = {k: v for k, v in {}.items() for w in v if w}\n",
    "x = [b for a in [] for b in a]\n",
    "class A:\n    n = 1\n    m = [n for _ in range(n)] if False else n\n    __class__\n"
    "n = 1\n",
    "match 1:\n    case [a, *b] | {'k': a, **b}:\n        a, b\n    case int() as c:\n        c\n"
    "    case x:\n        x\n    case _:\n        __file__\n",
    "from anything import *\nmissing\n",
    "def f[T](a: T) -> T:\n    return a\n",
    "import nvfuser_direct\nnvfuser_direct.new_in_2027\n",
    "def f(nvfuser_direct):\n    nvfuser_direct.FusionDefinitoin\n",
    "'missing'\nx: 'Missing' = 1\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    check (texts[i], "");
}

/* A file of errors is not a file to read one by one. */
static void
test_limit (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (HirSource) source = NULL;
  g_autoptr (HirScript) script = NULL;
  g_autoptr (GPtrArray) found = NULL;

  for (guint i = 0; i < 100; i++)
    g_string_append_printf (text, "undefined_%u\n", i);
  source = hir_source_new ("f.py", text->str, -1);
  script = hir_script_parse (source, NULL);
  found = hir_names_dup_undefined (script, NULL);
  g_assert_cmpuint (found->len, ==, 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/names/undefined", test_undefined);
  g_test_add_func ("/names/defined", test_defined);
  g_test_add_func ("/names/limit", test_limit);
  return g_test_run ();
}
