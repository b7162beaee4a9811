/* Tests the list of blocked communications: a held rank, an ended rank, a deadlock, and none. */
#include "debugger/debug-waits.h"

/* @ranks is a list such as "[(0, 5, 'before #2 X')]", @comms one such as "[('Allgather T5 on
 * rank 0', 7, true, [0], [1])]". */
static HirDebugState *
state_new (gboolean is_alone, const char *ranks, const char *comms)
{
  g_autoptr (GVariant) few = g_variant_parse (G_VARIANT_TYPE ("a(its)"), ranks, NULL, NULL, NULL);
  g_autoptr (GVariant) all =
      g_variant_parse (G_VARIANT_TYPE ("a(stbaxax)"), comms, NULL, NULL, NULL);
  g_autoptr (GVariant) variant = NULL;
  GVariantBuilder builder;
  GVariantDict dict;

  g_assert_nonnull (few);
  g_assert_nonnull (all);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ituiutsa(sbysisu)a(tbai)a(ts))"));
  for (gsize i = 0; i < g_variant_n_children (few); i++)
    {
      const char *place;
      gint32 rank;
      guint64 id;

      g_variant_get_child (few, i, "(it&s)", &rank, &id, &place);
      g_variant_builder_add (&builder, "(ituiutsa(sbysisu)a(tbai)a(ts))", rank, id, 1u, 0, 0u,
                             G_GUINT64_CONSTANT (0), place, NULL, NULL, NULL);
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "running", "b", TRUE);
  g_variant_dict_insert (&dict, "alone", "b", is_alone);
  g_variant_dict_insert_value (&dict, "ranks", g_variant_builder_end (&builder));
  g_variant_dict_insert_value (&dict, "comms", all);
  variant = g_variant_ref_sink (g_variant_dict_end (&dict));
  return hir_debug_state_new_from_variant (variant);
}

static void
test_rows (void)
{
  static const struct
  {
    gboolean is_alone;
    const char *ranks, *comms, *title;
    guint n;
    const char *waits, *awaited;
  } rows[] = {
    { TRUE, "[(0, 0, 'at its end'), (1, 5, 'before #1 ALLOCATE T3')]",
      "[('Allgather T5 in iteration 1 on rank 0', 7, true, [0], [1])]",
      "Other ranks wait for a rank that is held", 1, "Rank 0 waits in Allgather T5 in iteration 1",
      "for rank 1, stopped before #1 ALLOCATE T3" },
    { FALSE, "[(0, 3, 'before #4'), (1, 0, 'at its end'), (2, 3, 'before #4')]",
      "[('Allreduce T5 on rank 0', 7, true, [0, 2], [1])]",
      "Deadlock: a rank has ended while others wait for it", 1, "Ranks 0, 2 wait in Allreduce T5",
      "for rank 1, stopped at its end" },
    { TRUE, "[(0, 3, 'at its end'), (1, 4, 'before #2'), (2, 4, 'before #2'), (3, 9, 'before #9')]",
      "[('Allgather T5 on rank 0', 7, true, [0], [1, 2, 3])]",
      "Other ranks wait for a rank that is held", 1, "Rank 0 waits in Allgather T5",
      "for ranks 1, 2, stopped before #2; rank 3, stopped before #9" },
    { FALSE, "[(0, 3, 'before #4'), (1, 4, 'before #5'), (2, 4, 'before #5')]",
      "[('send T1 on rank 0', 7, true, [0], [1]), ('send T2 on rank 1', 8, true, [1], [2]), "
      "('send T3 on rank 2', 9, true, [2], [0])]",
      "Deadlock: ranks wait for each other", 3, "Rank 0 waits in send T1",
      "for rank 1, stopped before #5" },
    { FALSE, "[(0, 3, 'before #4'), (1, 4, 'before #5')]",
      "[('send T1 on rank 0', 7, true, [0], [1])]", "Ranks wait for others that have not posted", 1,
      "Rank 0 waits in send T1", "for rank 1, stopped before #5" },
    /* Only queued, and posted by all ranks. */
    { TRUE, "[(0, 3, 'before #4'), (1, 4, 'before #5')]",
      "[('send T1 on rank 0', 7, false, [0], [1]), ('send T2 on rank 0', 7, true, [0, 1], [])]", "",
      0, NULL, NULL },
    /* A message of another process can name ranks that do not exist. */
    { FALSE, "[(0, 3, 'before #4')]", "[('send T1', 7, true, [0], [99, -1])]",
      "Ranks wait for others that have not posted", 1, "Rank 0 waits in send T1",
      "for ranks 99, -1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (HirDebugState) state = state_new (rows[i].is_alone, rows[i].ranks, rows[i].comms);
      g_autofree char *title = NULL;
      g_autoptr (GPtrArray) waits = hir_debug_waits_new (state, &title);

      g_assert_cmpstr (title, ==, rows[i].title);
      g_assert_cmpuint (waits->len, ==, rows[i].n);
      if (rows[i].n == 0)
        continue;
      g_assert_cmpstr (((const HirDebugWait *) waits->pdata[0])->waits, ==, rows[i].waits);
      g_assert_cmpstr (((const HirDebugWait *) waits->pdata[0])->awaited, ==, rows[i].awaited);
      g_assert_cmpuint (((const HirDebugWait *) waits->pdata[0])->instruction, ==, 7);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/debug-waits/rows", test_rows);
  return g_test_run ();
}
