#include "diagnostic.h"
#include "mesh.h"

static char *
print (const gint64 *devices, gsize n, const gint64 *shape, int n_dims)
{
  HirArena *arena = hir_arena_new ();
  g_autoptr (GError) error = NULL;
  HirMesh *mesh = hir_mesh_new (arena, devices, n, shape, n_dims, &error);
  GString *out = g_string_new (NULL);

  if (mesh != NULL)
    hir_mesh_print (hir_mesh_dup (arena, mesh), out);
  else
    g_string_append (out, error->message);
  hir_arena_free (arena);
  return g_string_free (out, FALSE);
}

static void
test_print (void)
{
  gint64 devices[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  g_autofree char *one = print (devices, 4, (gint64[]){ 4 }, 1);
  g_autofree char *two = print (devices, 4, (gint64[]){ 2, 2 }, 2);
  g_autofree char *three = print (devices, 8, (gint64[]){ 2, 2, 2 }, 3);

  g_assert_cmpstr (one, ==, "DeviceMesh{0 1 2 3}");
  g_assert_cmpstr (two, ==, "DeviceMesh{{0 1}{2 3}}");
  g_assert_cmpstr (three, ==, "DeviceMesh{{{0 1}{2 3}}{{4 5}{6 7}}}");
}

static void
test_errors (void)
{
  g_autofree char *twice = print ((gint64[]){ 1, 1 }, 2, (gint64[]){ 2 }, 1);
  g_autofree char *shape = print ((gint64[]){ 0, 1, 2 }, 3, (gint64[]){ 2, 2 }, 2);
  g_autofree char *negative = print ((gint64[]){ -1 }, 1, (gint64[]){ 1 }, 1);
  g_autofree char *huge = print ((gint64[]){ 0 }, 1, (gint64[]){ G_MAXINT64, 4 }, 2);

  g_assert_nonnull (g_strrstr (twice, "twice"));
  g_assert_nonnull (g_strrstr (shape, "its shape needs 4"));
  g_assert_nonnull (g_strrstr (negative, "start at 0"));
  g_assert_nonnull (g_strrstr (huge, "axis 1"));
}

static void
test_lookup (void)
{
  HirArena *arena = hir_arena_new ();
  HirMesh *mesh = hir_mesh_new (arena, (gint64[]){ 3, 1 }, 2, (gint64[]){ 2 }, 1, NULL);
  HirMesh *other = hir_mesh_new (arena, (gint64[]){ 3, 1 }, 2, (gint64[]){ 1, 2 }, 2, NULL);

  g_assert_cmpint (hir_mesh_index_of (mesh, 1), ==, 1);
  g_assert_cmpint (hir_mesh_index_of (mesh, 0), ==, -1);
  g_assert_true (hir_mesh_has (mesh, 3));
  g_assert_true (hir_mesh_equal (mesh, hir_mesh_dup (arena, mesh)));
  g_assert_false (hir_mesh_equal (mesh, other));
  g_assert_false (hir_mesh_equal (mesh, NULL));
  g_assert_true (hir_mesh_equal (NULL, NULL));
  hir_arena_free (arena);
}

static void
assert_slice (const HirMesh *mesh, gint64 device, int from_last, const char *wanted)
{
  guint n = 99;
  g_autofree gint64 *slice = hir_mesh_dup_slice (mesh, device, from_last, &n);
  g_autoptr (GString) text = g_string_new (slice != NULL ? "" : "none");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT " ", slice[i]);
  g_assert_cmpstr (text->str, ==, wanted);
}

/* The team of a collective: the devices of one row or column. */
static void
test_slice (void)
{
  HirArena *arena = hir_arena_new ();
  const gint64 devices[] = { 10, 11, 12, 13, 14, 15 };
  HirMesh *line = hir_mesh_new (arena, devices, 3, (gint64[]){ 3 }, 1, NULL);
  HirMesh *mesh = hir_mesh_new (arena, devices, 6, (gint64[]){ 2, 3 }, 2, NULL);
  HirMesh *cube = hir_mesh_new (arena, devices, 6, (gint64[]){ 3, 1, 2 }, 3, NULL);

  assert_slice (line, 11, 0, "10 11 12 ");
  assert_slice (line, 11, 1, "none");
  assert_slice (line, 13, 0, "none");
  assert_slice (mesh, 14, 0, "13 14 15 ");
  assert_slice (mesh, 14, 1, "11 14 ");
  assert_slice (mesh, 10, 0, "10 11 12 ");
  assert_slice (mesh, 14, 2, "none");
  assert_slice (cube, 13, 0, "12 13 ");
  assert_slice (cube, 13, 1, "13 ");
  assert_slice (cube, 13, 2, "11 13 15 ");
  hir_arena_free (arena);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mesh/print", test_print);
  g_test_add_func ("/mesh/errors", test_errors);
  g_test_add_func ("/mesh/lookup", test_lookup);
  g_test_add_func ("/mesh/slice", test_slice);
  return g_test_run ();
}
