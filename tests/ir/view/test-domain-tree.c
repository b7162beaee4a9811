/* Tests that domains and meshes are read back from facts, for views of programs and of recordings.
 */
#include "view/domain-tree.h"

#include "script/script.h"
#include "view/device-grid.h"

static HirNodeInfo *
new_info (const char *kind, const char *const *facts)
{
  HirNodeInfo *info = hir_node_info_new (1, FALSE);

  info->kind = g_strdup (kind);
  info->label = g_strdup ("T1");
  for (guint i = 0; facts[i] != NULL; i += 2)
    hir_node_info_add_fact (info, facts[i], facts[i + 1], 0);
  return info;
}

static HirDomainTree *
new_tree (const char *const *facts)
{
  HirNodeInfo *info = new_info ("TensorView", facts);
  HirDomainTree *tree = hir_domain_tree_new (info);

  hir_node_info_free (info);
  return tree;
}

/* Describes all rows: "logical: i0 i1 / : ... ". */
static char *
describe (const HirDomainTree *tree)
{
  GString *text = g_string_new (NULL);

  for (guint r = 0; r < tree->rows->len; r++)
    {
      const HirDomainRow *row = hir_domain_tree_get_row (tree, r);

      g_string_append_printf (text, "%s%s:", r > 0 ? " / " : "", row->title);
      for (guint i = row->first; i < row->first + row->n; i++)
        {
          const HirDomainBox *box = hir_domain_tree_get_box (tree, i);
          const char *parallel = hir_domain_box_get_parallel_name (box);

          g_assert_cmpuint (box->row, ==, r);
          g_assert_cmpuint (box->place, ==, i - row->first);
          g_string_append_printf (text, " %s=%s%s%s", box->name, box->extent,
                                  *parallel != '\0' ? "@" : "", parallel);
        }
    }
  return g_string_free (text, FALSE);
}

/* Describes the edges: "i0>i2 split 4, ...". */
static char *
describe_edges (const HirDomainTree *tree)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < tree->edges->len; i++)
    {
      const HirDomainEdge *edge = &g_array_index (tree->edges, HirDomainEdge, i);

      g_assert_cmpuint (edge->from, <, edge->to);
      g_string_append_printf (text, "%s%s%s%s%s%s", i > 0 ? ", " : "",
                              hir_domain_tree_get_box (tree, edge->from)->name,
                              edge->is_same ? "=" : ">",
                              hir_domain_tree_get_box (tree, edge->to)->name,
                              edge->label != NULL ? " " : "",
                              edge->label != NULL ? edge->label : "");
    }
  return g_string_free (text, FALSE);
}

static void
assert_tree (const char *const *facts, const char *rows, const char *edges)
{
  g_autoptr (HirDomainTree) tree = new_tree (facts);
  g_autofree char *seen = NULL, *seen_edges = NULL;

  g_assert_nonnull (tree);
  seen = describe (tree);
  seen_edges = describe_edges (tree);
  g_assert_cmpstr (seen, ==, rows);
  g_assert_cmpstr (seen_edges, ==, edges);
}

static void
test_plain (void)
{
  assert_tree ((const char *const[]){ "name", "T1", "logical domain", "[iS0{i0}, rS1{4}]",
                                      "loop domain", "[iS0{i0}, rS1{4}]", NULL },
               "logical: i0=i0 r1=4 / loop: i0=i0 r1=4", "i0=i0, r1=r1");
}

static void
test_split (void)
{
  assert_tree (
      (const char *const[]){
          "logical domain", "[iS2{i0}, bS3{1}]", "allocation domain",
          "[ideviceIdx.x10{2}, iS11{( ceilDiv(i0, 2) )}, bS3{1}]", "transform",
          "Outer split: iS2{i0} by factor 2 -> ideviceIdx.x10{2}, iS11{( ceilDiv(i0, 2) )}",
          "loop domain", "[ideviceIdx.x10{2}, iS11{( ceilDiv(i0, 2) )}, bS3{1}]", "transform",
          "Outer split: iS2{i0} by factor 2 -> ideviceIdx.x10{2}, iS11{( ceilDiv(i0, 2) )}", NULL },
      "logical: i2=i0 b3=1 / loop: i10=2@mesh_x i11=( ceilDiv(i0, 2) ) b3=1 / allocation: i10=2@mesh_x "
      "i11=( ceilDiv(i0, 2) ) b3=1",
      "i2>i10 outer split 2, i2>i11, b3=b3, i10=i10, i11=i11, b3=b3");
}

/* Created on the way and split again; a merge has two inputs. */
static void
test_between (void)
{
  assert_tree ((const char *const
                    []){ "logical domain", "[iS0{a}, iS1{b}]", "loop domain",
                         "[iStreamIdx3{4}, iS4{( ( a * b ) / 4 )}]", "transform",
                         "Merge: iS0{a} and iS1{b} -> iS2{( a * b )}", "transform",
                         "Outer split: iS2{( a * b )} by factor 4 -> iStreamIdx3{4}, iS4{( ( a "
                         "* b ) / 4 )}",
                         NULL },
               "logical: i0=a i1=b / : i2=( a * b ) / loop: i3=4@Stream i4=( ( a * b ) / 4 )",
               "i0>i2 merge, i1>i2, i2>i3 outer split 4, i2>i4");
}

/* An axis in both the root and the logical domain is not split before the logical domain. */
static void
test_root (void)
{
  assert_tree ((const char *const[]){ "root domain", "[iS0{a}, iS1{b}]", "transform",
                                      "Resize: iS1{b} by 1 and ( -1 ) -> iS2{b}rf",
                                      "logical domain", "[iS0{a}, iS2{b}rf]", "loop domain",
                                      "[iS3{2}, iS4{c}, iS2{b}rf]", "transform",
                                      "Outer split: iS0{a} by factor 2 -> iS3{2}, iS4{c}", NULL },
               "root: i0=a i1=b / logical: i0=a i2=b / loop: i3=2 i4=c i2=b",
               "i0=i0, i1>i2 resize 1 and ( -1 ), i0>i3 outer split 2, i0>i4, i2=i2");
}

/* No crash and no dangling edge, whatever a recording contains. */
static void
test_nonsense (void)
{
  static const char *const texts[] = {
    "",    "[",  "]",     "[]",          "[iS0{i0}",          "[,,]",      "[ , ]", "iS0",
    "[{]", "[)", "[i{}]", "[iS0{{{{{i]", "[(null), iS1{i0}]", "[iS0 iS1]", "i",
  };
  static const char *const transforms[] = {
    "Split: iS0{i0} by factor 2 -> iS0{i0}, iS0{i0}",
    "Split: iS1{i0} by factor 2 -> iS2{i0}, iS3{i0}",
    " -> : by factor",
    "Merge: -> ",
    "Split: by factor -> by factor ",
    ": ) -> (",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint t = 0; t < G_N_ELEMENTS (transforms); t++)
      {
        g_autoptr (HirDomainTree) tree = new_tree (
            (const char *const[]){ "logical domain", "[iS0{i0}]", "loop domain", texts[i],
                                   "transform", transforms[t], "transform", transforms[t], NULL });
        g_autofree char *edges = describe_edges (tree);

        g_assert_cmpuint (tree->boxes->len, >=, 1);
        g_assert_nonnull (edges);
      }
  g_assert_null (new_tree ((const char *const[]){ "name", "T1", NULL }));
}

static void
assert_grid (const char *name, const char *value, const gint64 *shape, guint n_dims, guint n)
{
  HirNodeInfo *info = new_info ("TensorView", (const char *const[]){ name, value, NULL });
  g_autoptr (HirDeviceGrid) grid = hir_device_grid_new (info);

  hir_node_info_free (info);
  if (n_dims == 0)
    {
      g_assert_null (grid);
      return;
    }
  g_assert_nonnull (grid);
  g_assert_cmpuint (grid->n_dims, ==, n_dims);
  g_assert_cmpuint (grid->devices->len, ==, n);
  for (guint i = 0; i < n_dims; i++)
    g_assert_cmpint (g_array_index (grid->shape, gint64, i), ==, shape[i]);
}

static void
test_grids (void)
{
  assert_grid ("mesh", "DeviceMesh{0 1 2}", (gint64[]){ 3 }, 1, 3);
  assert_grid ("mesh", "DeviceMesh{{0 1 2}{3 4 5}}", (gint64[]){ 2, 3 }, 2, 6);
  assert_grid ("mesh", "DeviceMesh{{{0 1}{2 3}}{{4 5}{6 7}}}", (gint64[]){ 2, 2, 2 }, 3, 8);
  assert_grid ("team", "4 2", (gint64[]){ 2 }, 1, 2);
  assert_grid ("mesh", "DeviceMesh{{0 1}{2}}", NULL, 0, 0);
  assert_grid ("mesh", "DeviceMesh{}", NULL, 0, 0);
  assert_grid ("mesh", "DeviceMesh{0 1", NULL, 0, 0);
  assert_grid ("mesh", "DeviceMesh{0 -1}", NULL, 0, 0);
  assert_grid ("mesh", "DeviceMesh{{{{{{{{{{{{0}}}}}}}}}}}}", NULL, 0, 0);
  assert_grid ("mesh", "0 1", NULL, 0, 0);
  assert_grid ("name", "T0", NULL, 0, 0);
}

/* Uses the facts of a real program, which are text that the tree parses. */
static gboolean
is_used_up (gpointer user_data)
{
  guint *n_left = user_data;

  if (*n_left == 0)
    return TRUE;
  (*n_left)--;
  return FALSE;
}

/* Stops after any number of checks: there is no view until the checks no longer stop it. */
static HirProgramView *
view_new_stopped (HirContainer *fusion)
{
  HirProgramView *view = NULL;
  guint most = 0;

  for (; view == NULL; most++)
    {
      guint n_left = most;

      view = hir_program_view_new_unless (fusion, HIR_FORMAT_2025, is_used_up, &n_left);
      g_assert_cmpuint (n_left, ==, 0);
    }
  g_assert_cmpuint (most, >, 6);
  return view;
}

static void
test_of_a_program (void)
{
  static const char script[] =
      "import nvfuser_direct as nvfuser\n"
      "from nvfuser_direct import DataType, FusionDefinition, ParallelType\n"
      "def split():\n"
      "    with FusionDefinition() as fd:\n"
      "        a = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)\n"
      "        b = fd.ops.sum(a, dims=[1])\n"
      "        fd.add_output(b)\n"
      "        mesh = nvfuser.multidevice.DeviceMesh([[0, 1], [2, 3]])\n"
      "        a.set_device_mesh(mesh)\n"
      "        a.outer_split(0, 2)\n"
      "        a.axis(0).parallelize(ParallelType.mesh_x)\n"
      "    return fd\n";
  g_autoptr (HirSource) source = hir_source_new ("split.py", script, -1);
  g_autoptr (GPtrArray) found =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  g_autoptr (HirScript) parsed = hir_script_parse (source, found);
  HirScriptOptions options = { .n_devices = 4 };
  HirScriptResult result = { 0 };
  g_autoptr (GError) error = NULL;
  HirContainer *fusion = hir_script_run (parsed, "split", &options, &result, &error);
  g_autoptr (HirProgramView) view = NULL;
  guint n_seen = 0;
  GHashTableIter iter;
  gpointer value;

  g_assert_no_error (error);
  view = view_new_stopped (fusion);
  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const HirNodeInfo *info = value;
      g_autoptr (HirDomainTree) tree = hir_domain_tree_new (info);
      g_autoptr (HirDeviceGrid) grid = NULL;
      g_autofree char *rows = NULL;

      if (tree == NULL)
        continue;
      rows = describe (tree);
      if (g_strcmp0 (hir_node_info_get_fact (info, "script variable"), "a") != 0)
        continue;
      n_seen++;
      g_assert_nonnull (strstr (rows, "loop: "));
      g_assert_nonnull (strstr (rows, "=2@mesh_x"));
      grid = hir_device_grid_new (info);
      g_assert_nonnull (grid);
      g_assert_cmpuint (grid->n_dims, ==, 2);
    }
  g_assert_cmpuint (n_seen, ==, 1);
  hir_script_result_clear (&result);
  hir_container_unref (fusion);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/domain-tree/plain", test_plain);
  g_test_add_func ("/domain-tree/split", test_split);
  g_test_add_func ("/domain-tree/between", test_between);
  g_test_add_func ("/domain-tree/root", test_root);
  g_test_add_func ("/domain-tree/nonsense", test_nonsense);
  g_test_add_func ("/domain-tree/grids", test_grids);
  g_test_add_func ("/domain-tree/of-a-program", test_of_a_program);
  return g_test_run ();
}
