#include "script-fixture.h"

#include <pthread.h>
#include <string.h>

static void
test_arithmetic (void)
{
  ASSERT_INTS ("",
               "[7 // 2, -(-7 // 2), -7 % 3, 2 ** 10, 1 << 4, 255 & 15 | 64, 5 ^ 1, int(7 / 2)]", 3,
               4, 2, 1024, 16, 79, 4, 3);
  ASSERT_INTS ("",
               "[int(2.5 * 4), max(3, 9, 2), min([5, 4]), sum([1, 2], 3), abs(-6), round(2.6), "
               "divmod(17, 5)[1]]",
               10, 9, 4, 6, 6, 3, 2);
  ASSERT_INTS ("    import math\n",
               "[math.ceil(7 / 2), math.prod([2, 3, 4]), math.gcd(12, 18), int(math.log2(8))]", 4,
               24, 6, 3);
  ASSERT_INTS ("",
               "[len('\xc3\xa4\xc3\xb6'), len(f'{3:>5}|{2.5:.2f}'), len(f'{1000:,}'), "
               "len(f'{(7)=}')]",
               2, 10, 5, 5);
}

static void
test_containers (void)
{
  ASSERT_INTS ("    a, *b, c = [2, 3, 4, 5]\n", "[a, b[0], b[-1], c, len(b)]", 2, 3, 4, 5, 2);
  ASSERT_INTS ("    x = list(range(10))\n", "x[2:8:3] + x[-1:] + x[3:1:-1]", 2, 5, 9, 3, 2);
  ASSERT_INTS ("    d = {'a': 2, **{'b': 3}}\n    d['c'] = 4\n    d.update(e=5)\n",
               "[v for k, v in d.items() if k != 'b']", 2, 4, 5);
  ASSERT_INTS ("    x = [3, 2, 4]\n    x.sort()\n    x += [7]\n    y = sorted(x, key=lambda v: "
               "-v)\n",
               "x + y", 2, 3, 4, 7, 7, 4, 3, 2);
  ASSERT_INTS ("    s = {2, 3, 2} | {4}\n",
               "[len(s), (2, 3)[1], 4 in s and 6 or 5, [i * j for i in (2, 3) for j in (4, "
               "5)][-1]]",
               3, 3, 6, 15);
  ASSERT_INTS ("    z = list(zip([2, 3], (4, 5)))\n    e = dict(enumerate('ab', 6))\n",
               "[z[1][0], z[0][1], *e]", 3, 4, 6, 7);
}

static void
test_control (void)
{
  ASSERT_INTS ("    n = 2\n    while True:\n        n += 3\n        if n > 9: break\n    else:\n   "
               "     n = 99\n",
               "[n]", 11);
  ASSERT_INTS ("    r = []\n    for i in range(6):\n        if i % 2: continue\n        r.append(i "
               "+ 2)\n    else:\n        r.append(9)\n",
               "r", 2, 4, 6, 9);
  ASSERT_INTS ("    try:\n        x = [][1]\n    except (KeyError, IndexError) as e:\n        x = "
               "5\n    finally:\n        y = 6\n",
               "[x, y]", 5, 6);
  ASSERT_INTS ("    match (2, [3, 4]):\n        case (a, [b, *c]) if a > 5: x = 0\n        case 1 "
               "| (2, [b, *c]): x = b\n        case _: x = 9\n",
               "[x, *c]", 3, 4);
  ASSERT_INTS ("    x = 3 if (n := 4) > 3 else 5\n    y = 2 < n < 5\n", "[x, n, 7 if y else 8]", 3,
               4, 7);
  ASSERT_INTS ("    def g():\n        yield 3\n        yield from [4, 5]\n", "[*g()]", 3, 4, 5);
}

static void
test_functions (void)
{
  ASSERT_INTS ("    def g(a, /, b=2, *c, d=4, **e): return [a, b, d, len(c) + 5, len(e) + 6]\n",
               "g(9, 8, 7, d=3, x=1)", 9, 8, 3, 6, 7);
  ASSERT_INTS ("    n = 2\n    def g():\n        nonlocal n\n        n += 1\n        return n\n    "
               "g()\n",
               "[g(), n]", 4, 4);
  ASSERT_INTS ("    fs = [lambda x, i=i: x + i for i in range(3)]\n", "[f(2) for f in fs]", 2, 3,
               4);
  ASSERT_INTS ("    class A:\n        k = 3\n        def __init__(self, n): self.n = n\n        "
               "def m(self): return self.n + self.k\n"
               "        @property\n        def p(self): return 7\n        @staticmethod\n        "
               "def s(x): return x * 2\n"
               "    class B(A):\n        def m(self): return super().m() + 10\n",
               "[A(2).m(), B(2).m(), B(2).p, A.s(4)]", 5, 15, 7, 8);
  ASSERT_INTS ("    @dataclass\n    class C:\n        a: int\n        b: int = 4\n",
               "[C(3).a, C(a=2).b]", 3, 4);
}

/* A top-level statement runs only when a name that it binds is looked up. */
static void
test_lazy_globals (void)
{
  const char *text = "from nvfuser_direct import FusionDefinition\n"
                     "SIZES = [2]\n"
                     "SIZES.append(3)\n"
                     "if True:\n"
                     "    N = SIZES[1] + 4\n"
                     "while True: pass\n"
                     "print(open('x'))\n"
                     "def f():\n"
                     "    with FusionDefinition() as fd:\n"
                     "        fd.add_output(fd.ops.set(fd.define_tensor(SIZES + [N], True)))\n";
  g_autoptr (HirContainer) container = run_good (text, "f");

  g_assert_cmpint (HIR_TENSOR (container->inputs.items[0])->logical.ids[2]->extent->i, ==, 7);
}

/* Values computed from opaque values are opaque; they stop the run only if they decide something.
 * */
static void
test_opaque_globals (void)
{
  const char *text = "from nvfuser_direct import FusionDefinition\n"
                     "import torch\n"
                     "if torch.cuda.is_available():\n"
                     "    DEVICE = 'cuda'\n"
                     "def f():\n"
                     "    device = DEVICE\n"
                     "    with FusionDefinition() as fd:\n"
                     "        fd.add_output(fd.ops.set(fd.define_tensor([2], True)))\n"
                     "    if DEVICE == 'cuda': open('x')\n";
  g_autoptr (HirContainer) container = run_good (text, "f");

  g_assert_cmpuint (container->outputs.len, ==, 1);
}

#define HEAD                                                                                       \
  "from nvfuser_direct import FusionDefinition\nimport os, torch, pytest\ndef f(*a, **k):\n"

static void
test_refused (void)
{
  static const char *const statements[] = {
    "open('/etc/passwd')",
    "eval('1')",
    "exec('1')",
    "__import__('os')",
    "getattr(fd, '__class__')",
    "os.system('true')",
    "os.remove('x')",
    "compile('1', '', 'eval')",
    "input()",
    "f.__globals__",
    "().__class__",
    "torch.load('x')",
    "undefined(1)",
    "globals()",
    "torch.save(1, 'x')",
  };

  for (guint i = 0; i < G_N_ELEMENTS (statements); i++)
    {
      g_autofree char *text = g_strdup_printf (HEAD "    fd = FusionDefinition()\n    try:\n       "
                                                    " %s\n    except Exception: pass\n",
                                               statements[i]);

      run_bad (text, "f", HIR_ERROR_REFUSED, 6, "");
    }
}

static void
test_limits (void)
{
  run_bad (HEAD "    while True: pass\n", "f", HIR_ERROR_LIMIT, 4, "steps");
  run_bad (HEAD "    x = sum(range(10**12))\n", "f", HIR_ERROR_LIMIT, 4, "steps");
  run_bad (HEAD "    x = [0] * 10**10\n", "f", HIR_ERROR_LIMIT, 4, "memory");
  run_bad (HEAD "    x = 'a' * 10**12\n", "f", HIR_ERROR_LIMIT, 4, "memory");
  run_bad (HEAD "    x = 'ab'\n    while True: x = x + x\n", "f", HIR_ERROR_LIMIT, 5, "memory");
  run_bad (HEAD "    x = list(range(10**7))\n", "f", HIR_ERROR_LIMIT, 4, "");
  /* The cost of each of these calls grows with the size of its argument. */
  run_bad (HEAD "    x = 'a' * 2**24\n    while True: 'b' in x\n", "f", HIR_ERROR_LIMIT, 5,
           "steps");
  run_bad (HEAD "    x = 'a' * 2**24\n    while True: len(x)\n", "f", HIR_ERROR_LIMIT, 5, "steps");
  run_bad (HEAD "    x = 'a' * 2**24\n    while True: x.find('b')\n", "f", HIR_ERROR_LIMIT, 5,
           "steps");
  run_bad (HEAD "    x = [0] * 2**20\n    while True: x.reverse()\n", "f", HIR_ERROR_LIMIT, 5,
           "steps");
  run_bad (HEAD "    x = [0] * 2**20\n    y = x[:2]\n    while True: x == x\n", "f",
           HIR_ERROR_LIMIT, 6, "steps");
  run_bad (HEAD "    return f()\n", "f", HIR_ERROR_LIMIT, 4, "nested too deeply");
  run_bad (HEAD "    g = lambda h: h(h)\n    g(g)\n", "f", HIR_ERROR_LIMIT, 4, "nested too deeply");
  run_bad (HEAD "    x = []\n    for i in range(5000): x = [x]\n    x == [x]\n", "f",
           HIR_ERROR_LIMIT, 6, "nested too deeply");
  run_bad (HEAD "    while True:\n        with FusionDefinition() as fd: fd.define_tensor([2, 3], "
                "True)\n",
           "f", HIR_ERROR_LIMIT, 5, "memory");
}

static void
test_errors (void)
{
  run_bad (HEAD "    x = [1]\n    y = x[3]\n", "f", HIR_ERROR_INPUT, 5, "IndexError");
  run_bad (HEAD "    x = 1 // 0\n", "f", HIR_ERROR_INPUT, 4, "ZeroDivisionError");
  run_bad (HEAD "    x = 2 ** 64\n", "f", HIR_ERROR_UNSUPPORTED, 4, "64 bits");
  run_bad (HEAD "    x = 9223372036854775807 + 1\n", "f", HIR_ERROR_UNSUPPORTED, 4, "64 bits");
  run_bad (HEAD "    assert 1 > 2, f'{1 + 1} is wrong'\n", "f", HIR_ERROR_INPUT, 4,
           "AssertionError: 2 is wrong");
  run_bad (HEAD "    raise ValueError('no')\n", "f", HIR_ERROR_INPUT, 4, "ValueError: no");
  run_bad (HEAD "    pytest.skip(f'needs {4} devices')\n", "f", HIR_ERROR_INPUT, 4,
           "skips: needs 4 devices");
  run_bad (HEAD "    pass\n", "f", HIR_ERROR_INPUT, 3, "builds no FusionDefinition");
  run_bad (HEAD "    with FusionDefinition() as fd: pass\n", "f", HIR_ERROR_INPUT, 3, "no output");
  run_bad (HEAD "    while torch.cuda.is_available(): pass\n", "f", HIR_ERROR_INPUT, 4,
           "torch.cuda.is_available()");
  run_bad (HEAD "    FusionDefinition().define_tensor([torch.numel(), 2])\n", "f",
           HIR_ERROR_REFUSED, 4, "torch.numel()");
}

#define BUILD                                                                                      \
  "    with FusionDefinition() as fd:\n        x = fd.define_tensor([2], True)\n        "          \
  "fd.add_output(fd.ops.set(x))\n"

/* The run stops when an opaque value decides something, and at execute(). The result is the fusion
 * built so far. */
static void
test_opaque (void)
{
  static const char *const tails[] = {
    "    if torch.randn(2).sum() > 0: open('x')\n",
    "    for x in torch.ones(3): open('x')\n",
    "    assert torch.allclose(1, 2)\n    open('x')\n",
    "    while torch.x: open('x')\n",
    "    (out,) = fd.execute([torch.randn(2, 3)])\n    open('x')\n",
    "    y = 1 if torch.a[0].b() else open('x')\n",
    "    torch.manual_seed(0)\n    y = [i for i in torch.ones(2) if open('x')]\n",
    "    a, b = torch.broken()\n    c = f'{a}' + 'x'\n    if len(c): open('x')\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (tails); i++)
    {
      g_autofree char *text = g_strconcat (HEAD BUILD, tails[i], NULL);
      g_autoptr (HirContainer) container = run_good (text, "f");

      g_assert_cmpuint (container->outputs.len, ==, 1);
    }
}

#define ARGS_HEAD "from nvfuser_direct import FusionDefinition\n"
#define ARGS_BODY                                                                                  \
  ":\n    with FusionDefinition() as fd:\n        "                                                \
  "fd.add_output(fd.ops.set(fd.define_tensor(shape, True)))\n"

static gint64
get_first_extent (const HirContainer *container)
{
  return HIR_TENSOR (container->inputs.items[0])->logical.ids[0]->extent->i;
}

static void
test_arguments (void)
{
  const char *given[] = { "shape=[4, 5]", NULL }, *bad[] = { "shape=open('x')", NULL },
             *unknown[] = { "n=1", NULL };
  HirScriptOptions options = { .args = given }, bad_options = { .args = bad },
                   unknown_options = { .args = unknown };
  HirScriptOptions devices = { .n_devices = 6 };
  g_autoptr (HirContainer) a =
      run_good_with (ARGS_HEAD "def f(shape)" ARGS_BODY, "f", &options, NULL);
  g_autoptr (HirContainer) b =
      run_good_with (ARGS_HEAD "def f(shape=[7])" ARGS_BODY, "f", NULL, NULL);
  g_autoptr (HirContainer) c =
      run_good_with (ARGS_HEAD
                     "def f(d):\n    shape = [d]\n    return g(shape)\ndef g(shape)" ARGS_BODY,
                     "f", &devices, NULL);
  g_autoptr (HirContainer) d =
      run_good_with (ARGS_HEAD "def f(multidevice_test):\n    return g([multidevice_test.size, "
                               "multidevice_test.size() + 1])\ndef g(shape)" ARGS_BODY,
                     "f", &devices, NULL);

  g_assert_cmpint (get_first_extent (a), ==, 4);
  g_assert_cmpint (get_first_extent (b), ==, 7);
  g_assert_cmpint (get_first_extent (c), ==, 6);
  g_assert_cmpint (get_first_extent (d), ==, 6);
  run_bad (ARGS_HEAD "def f(shape)" ARGS_BODY, "f", HIR_ERROR_INPUT, 2, "--arg shape=value");
  run_bad_with (ARGS_HEAD "def f(shape)" ARGS_BODY, "f", &bad_options, HIR_ERROR_INPUT, 2,
                "not a Python literal");
  run_bad_with (ARGS_HEAD "def f(shape=[1])" ARGS_BODY, "f", &unknown_options, HIR_ERROR_INPUT, 2,
                "no parameter 'n'");
}

static void
test_choice (void)
{
  g_autoptr (HirContainer) only = run_good (ARGS_HEAD "def f(shape=[3])" ARGS_BODY, NULL);

  g_assert_cmpstr (only->function, ==, "f");
  run_bad (ARGS_HEAD "def f(shape=[3])" ARGS_BODY "def g(): return f()\n", NULL, HIR_ERROR_INPUT, 0,
           "f, g");
  run_bad (ARGS_HEAD "def f(shape=[3])" ARGS_BODY, "h", HIR_ERROR_INPUT, 0, "no function 'h'");
}

#define MODEL                                                                                      \
  "from nvfuser import FusionDefinition\n"                                                         \
  "def f(s=3):\n"                                                                                  \
  "    class Model(FusionDefinition):\n"                                                           \
  "        def definition(self): self.o = self.ops.set(self.define_tensor([s, 4], True)); "        \
  "self.add_output(self.o)\n"                                                                      \
  "        def multidevice_schedule(self): self.sched.merge(self.o, 0)\n"

/* A class inside a test is defined by execute() or at the end of the test. */
static void
test_models (void)
{
  static const char *const tails[] = { "    fd = Model()\n    (out,), _ = fd.execute([])\n",
                                       "    return Model()\n", "    m = Model()\n" };

  for (guint i = 0; i < G_N_ELEMENTS (tails); i++)
    {
      g_autofree char *text = g_strconcat (MODEL, tails[i], NULL);
      g_autoptr (HirContainer) container = run_good (text, NULL);

      g_assert_cmpuint (container->exprs.len, ==, 1);
      g_assert_cmpuint (HIR_TENSOR (container->outputs.items[0])->loop.n, ==, 1);
    }
}

static gpointer
run_recursions (gpointer data)
{
  static const char *const calls[] = { "f()", "[f() for i in [1]]", "max([f()], key=lambda x: f())",
                                       "{1: [f()]}" };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      GString *text = g_string_new ("def f():\n    if 1:\n        return ");

      for (guint j = 0; j < 390 && i == 0; j++)
        g_string_append_c (text, '-');
      g_string_append (text, calls[i]);
      run_bad (text->str, "f", HIR_ERROR_LIMIT, 3, "nested too deeply");
      g_string_free (text, TRUE);
    }
  return NULL;
}

/* The deepest allowed recursion fits into the stack size documented in the header. */
static void
test_stack (void)
{
  pthread_attr_t attributes;
  pthread_t thread;

  pthread_attr_init (&attributes);
  g_assert_cmpint (pthread_attr_setstacksize (&attributes, 4u << 20), ==, 0);
  g_assert_cmpint (pthread_create (&thread, &attributes, run_recursions, NULL), ==, 0);
  pthread_join (thread, NULL);
  pthread_attr_destroy (&attributes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/script/interp/arithmetic", test_arithmetic);
  g_test_add_func ("/script/interp/containers", test_containers);
  g_test_add_func ("/script/interp/control", test_control);
  g_test_add_func ("/script/interp/functions", test_functions);
  g_test_add_func ("/script/interp/lazy-globals", test_lazy_globals);
  g_test_add_func ("/script/interp/opaque-globals", test_opaque_globals);
  g_test_add_func ("/script/interp/refused", test_refused);
  g_test_add_func ("/script/interp/limits", test_limits);
  g_test_add_func ("/script/interp/errors", test_errors);
  g_test_add_func ("/script/interp/opaque", test_opaque);
  g_test_add_func ("/script/interp/arguments", test_arguments);
  g_test_add_func ("/script/interp/choice", test_choice);
  g_test_add_func ("/script/interp/models", test_models);
  g_test_add_func ("/script/interp/stack", test_stack);
  return g_test_run ();
}
