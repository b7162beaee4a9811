#include "script-fixture.h"

#include <string.h>

/* Returns the ids of all tensors, axes and Exprs, in order. */
static GArray *
get_ids (const HirContainer *container)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint i = 0; i < container->tensors.len; i++)
    {
      const HirTensor *tensor = container->tensors.items[i];

      g_array_append_val (ids, tensor->base.node.id);
      for (guint j = 0; j < tensor->loop.n; j++)
        g_array_append_val (ids, tensor->loop.ids[j]->base.node.id);
    }
  for (guint i = 0; i < container->exprs.len; i++)
    g_array_append_val (ids, ((HirExpr *) container->exprs.items[i])->node.id);
  return ids;
}

static GArray *
run_ids (const char *text)
{
  g_autoptr (HirContainer) container = run_good (text, "f");

  return get_ids (container);
}

static gboolean
equal_ids (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (guint64)) == 0;
}

#define HEAD "from nvfuser_direct import FusionDefinition, ParallelType\n"
#define HELPER "def contig(fd, rank):\n    return fd.define_tensor([-1] * rank, True)\n"
#define BODY                                                                                       \
  "def f():\n    with FusionDefinition() as fd:\n        a = contig(fd, 2)\n        b = "          \
  "contig(fd, 2)\n"                                                                                \
  "        c = fd.ops.add(a, b)\n        c.split(0, 4)\n        fd.add_output(c)\n"
#define OTHER                                                                                      \
  "def g():\n    with FusionDefinition() as fd:\n        fd.add_output(fd.ops.set(contig(fd, "     \
  "3)))\n"

static void
test_stable (void)
{
  static const char *const same[] = {
    HEAD HELPER BODY OTHER,
    HEAD OTHER "\n\n# moved\n" HELPER "\n\n" BODY,
    HEAD HELPER BODY "def g():\n    x = 1\n    return x\n",
    /* Renamed tensors. */
    HEAD HELPER "def f():\n    with FusionDefinition() as fd:\n        x = contig(fd, 2)\n        "
                "yy = contig(fd, 2)\n\n"
                "        z = fd.ops.add(x, yy)\n        z.split(0, 4)\n        fd.add_output(z)\n",
    /* A renamed definition; all statements move to other lines. */
    HEAD HELPER
    "def f():\n    with FusionDefinition() as definition:\n        a = contig(definition, 2)\n"
    "        b = contig(definition, 2)\n        c = definition.ops.add(a, b)\n        c.split(0, "
    "4); "
    "definition.add_output(c)\n",
  };
  g_autoptr (GArray) first = run_ids (same[0]);

  for (guint i = 1; i < G_N_ELEMENTS (same); i++)
    {
      g_autoptr (GArray) ids = run_ids (same[i]);

      g_assert_true (equal_ids (first, ids));
    }
}

static void
test_unique (void)
{
  g_autoptr (GArray) ids = run_ids (HEAD HELPER BODY);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < ids->len; i++)
    g_assert_true (g_hash_table_add (seen, &g_array_index (ids, guint64, i)));
}

/* The id of a node depends on its function and call path. */
static void
test_different (void)
{
  const char *text = HEAD HELPER BODY "def h(fd, n):\n    return contig(fd, n)\n";
  g_autoptr (GArray) first = run_ids (text);
  g_autoptr (GArray) through = run_ids (
      HEAD HELPER "def h(fd, n):\n    return contig(fd, n)\n"
                  "def f():\n    with FusionDefinition() as fd:\n        a = h(fd, 2)\n"
                  "        b = h(fd, 2)\n        c = fd.ops.add(a, b)\n        c.split(0, 4)\n"
                  "        fd.add_output(c)\n");

  g_assert_cmpuint (first->len, ==, through->len);
  g_assert_cmpuint (g_array_index (first, guint64, 0), !=, g_array_index (through, guint64, 0));
  /* Nodes that f creates itself keep their ids. */
  g_assert_cmpuint (g_array_index (first, guint64, first->len - 1), ==,
                    g_array_index (through, guint64, through->len - 1));
}

/* The ids of nodes created by one call do not depend on other calls. */
static void
test_calls (void)
{
  g_autoptr (HirContainer) two =
      run_good (HEAD HELPER
                "def f():\n    with FusionDefinition() as fd:\n"
                "        a = contig(fd, 2)\n        b = contig(fd, 2)\n        fd.add_output(b)\n",
                "f");
  g_autoptr (HirContainer) three =
      run_good (HEAD HELPER
                "def f():\n    with FusionDefinition() as fd:\n"
                "        a = contig(fd, 3)\n        b = contig(fd, 2)\n        fd.add_output(b)\n",
                "f");
  const HirTensor *b = two->tensors.items[1], *same = three->tensors.items[1];

  g_assert_cmpuint (b->base.node.id, ==, same->base.node.id);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (b->loop.ids[i]->base.node.id, ==, same->loop.ids[i]->base.node.id);
}

/* Pins the value of an id, because recordings store ids: a change breaks existing recordings. */
static void
test_kept (void)
{
  g_autoptr (GArray) ids = run_ids (HEAD HELPER BODY);
  char hex[17];

  hir_id_to_hex (g_array_index (ids, guint64, 0), hex);
  g_assert_cmpstr (hex, ==, "b9560cb7a306d40f");
}

static void
test_positions (void)
{
  const char *text = "from nvfuser_direct import *\n"
                     "def contig(fd):\n"
                     "    return fd.define_tensor([-1, -1], True)\n"
                     "def f():\n"
                     "    with FusionDefinition() as fd:\n"
                     "        a = contig(fd)\n"
                     "        b = (fd.ops\n"
                     "               .set(a))\n"
                     "        fd.add_output(b)\n"
                     "        b.split(0, 2)\n"
                     "        b.axis(1).parallelize(ParallelType.stream)\n";
  g_autoptr (HirContainer) container = run_good (text, "f");
  const HirTensor *a = container->tensors.items[0], *b = container->tensors.items[1];

  g_assert_cmpuint (a->base.node.pos.line, ==, 3);
  g_assert_cmpuint (a->base.node.pos.column, ==, 12);
  g_assert_cmpstr (a->script_name, ==, "a");
  g_assert_cmpuint (b->base.node.pos.line, ==, 7);
  g_assert_cmpuint (b->base.node.pos.column, ==, 14);
  g_assert_cmpuint (b->definition->node.pos.line, ==, 7);
  g_assert_cmpuint (b->loop.ids[0]->base.node.pos.line, ==, 10);
  g_assert_cmpuint (b->loop.ids[0]->definition->node.pos.line, ==, 10);
  g_assert_cmpuint (b->loop.ids[1]->base.node.pos.line, ==, 11);
  g_assert_cmpuint (b->loop.ids[2]->base.node.pos.line, ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/script/identity/stable", test_stable);
  g_test_add_func ("/script/identity/unique", test_unique);
  g_test_add_func ("/script/identity/different", test_different);
  g_test_add_func ("/script/identity/calls", test_calls);
  g_test_add_func ("/script/identity/kept", test_kept);
  g_test_add_func ("/script/identity/positions", test_positions);
  return g_test_run ();
}
