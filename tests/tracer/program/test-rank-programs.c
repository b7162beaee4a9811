/* Tests that each distinct program is stored once, with its ranks. */
#include "program/rank-programs.h"

#include <glib/gstdio.h>
#include <string.h>

#include "program/document-recording.h"
#include "tracer-fixture.h"

/* Rank 3 is on no mesh and has no work. */
static const char hand_over[] =
    "import nvfuser_direct as nvfuser\n"
    "from nvfuser_direct import DataType, FusionDefinition\n"
    "\n"
    "def hand_over():\n"
    "    with FusionDefinition() as fd:\n"
    "        a = fd.define_tensor(shape=[8, 8], contiguity=True, dtype=DataType.Float)\n"
    "        b = fd.ops.add(a, a)\n"
    "        c = fd.ops.set(b)\n"
    "        d = fd.ops.mul(c, c)\n"
    "        fd.add_output(d)\n"
    "        first = nvfuser.multidevice.DeviceMesh([0])\n"
    "        second = nvfuser.multidevice.DeviceMesh([1, 2])\n"
    "        a.set_device_mesh(first)\n"
    "        b.set_device_mesh(first)\n"
    "        c.set_device_mesh(second)\n"
    "        d.set_device_mesh(second)\n"
    "    return fd\n";

static HirProgram *
lower (gint64 rank)
{
  g_autoptr (HirSource) source = hir_source_new ("hand_over.py", hand_over, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, "hand_over");
  g_autoptr (GError) error = NULL;
  HirProgram *program;

  request->n_devices = 4;
  request->rank = rank;
  program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (program->error);
  return program;
}

static void
assert_labels (const HirRankPrograms *programs, const char *const *labels)
{
  g_assert_cmpuint (programs->programs->len, ==, g_strv_length ((char **) labels));
  for (guint i = 0; labels[i] != NULL; i++)
    {
      g_autofree char *label = hir_rank_program_dup_label (hir_rank_programs_get (programs, i));

      g_assert_cmpstr (label, ==, labels[i]);
    }
}

static const char *const hand_over_labels[] = { "rank 0", "ranks 1, 2", "rank 3", NULL };

static void
test_distinct (void)
{
  g_autoptr (HirProgram) program = lower (2);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRankPrograms) programs = hir_rank_programs_new (program, NULL, &error);
  const HirProgramView *sender, *receiver;

  g_assert_no_error (error);
  assert_labels (programs, hand_over_labels);
  /* The displayed program is used for its ranks, not a copy. */
  g_assert_true (hir_rank_programs_get (programs, 1)->program == program);
  g_assert_cmpint (hir_rank_programs_find (programs, 2), ==, 1);
  g_assert_cmpint (hir_rank_programs_find (programs, 4), ==, -1);
  g_assert_cmpint (hir_rank_programs_find_program (programs, program), ==, 1);
  sender = g_ptr_array_index (hir_rank_programs_get (programs, 0)->program->views,
                              program->views->len - 1);
  receiver = g_ptr_array_index (program->views, program->views->len - 1);
  g_assert_nonnull (strstr (sender->text, "+ T0"));
  g_assert_null (strstr (sender->text, "ALLOCATE"));
  g_assert_null (strstr (receiver->text, "+ T0"));
  g_assert_nonnull (strstr (receiver->text, "ALLOCATE"));
}

static void
test_same (void)
{
  g_autoptr (HirRequest) request = fix_request ("multi_device.py", "ag_matmul");
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirRankPrograms) programs = NULL;

  request->n_devices = 8;
  program = hir_program_new (request, NULL, NULL, NULL);
  programs = hir_rank_programs_new (program, NULL, NULL);
  assert_labels (programs, (const char *const[]){ "ranks 0–7", NULL });
}

/* The fusion has the same nodes on every rank, so that a selection is valid on all. */
static void
test_identity (void)
{
  g_autoptr (HirProgram) program = lower (0);
  g_autoptr (HirRankPrograms) programs = hir_rank_programs_new (program, NULL, NULL);
  const HirProgramView *ours = program->views->pdata[0];
  const HirProgramView *theirs = hir_rank_programs_get (programs, 2)->program->views->pdata[0];
  GHashTableIter iter;
  gpointer id;

  g_hash_table_iter_init (&iter, ours->nodes);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    g_assert_nonnull (hir_program_view_lookup (theirs, *(guint64 *) id));
}

static void
test_cancelled (void)
{
  g_autoptr (HirProgram) program = lower (0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (hir_rank_programs_new (program, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Tests that a recording, and a recording saved from it, have all programs. */
static void
test_recording (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hir-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (HirProgram) program = lower (2);
  g_autoptr (HirRankPrograms) programs = hir_rank_programs_new (program, NULL, NULL);
  g_autoptr (GError) error = NULL;
  HirOpened *opened;

  g_assert_true (hir_program_save (program, NULL, NULL, path, NULL, &error));
  for (guint pass = 0; pass < 2; pass++)
    {
      opened = hir_opened_new (path, &error);
      g_assert_no_error (error);
      assert_labels (opened->ranks, hand_over_labels);
      g_assert_cmpuint (opened->program->views->len, ==, program->views->len);
      g_assert_true (hir_rank_programs_get (opened->ranks, 1)->program == opened->program);
      for (guint i = 0; i < 3; i++)
        {
          const HirProgram *ours = hir_rank_programs_get (programs, i)->program;
          const HirProgram *theirs = hir_rank_programs_get (opened->ranks, i)->program;

          g_assert_cmpuint (theirs->views->len, ==, ours->views->len);
          for (guint v = 0; v < ours->views->len; v++)
            g_assert_cmpstr (((HirProgramView *) theirs->views->pdata[v])->text, ==,
                             ((HirProgramView *) ours->views->pdata[v])->text);
        }
      g_assert_true (
          hir_program_save (opened->program, opened->ranks, opened->trace, path, NULL, &error));
      hir_opened_free (opened);
    }
  g_unlink (path);
  g_rmdir (folder);
}

/* Tests that malformed metadata is read as one program. */
static void
test_recording_invalid (void)
{
  static const char *const metas[] = { "0:1;1:99",          "0:0;1:2",   "x",
                                       "0-:1;1:1",          "3-1:1;0:1", "0:1",
                                       "0:1;1:99999999999", "" };
  g_autoptr (HirProgram) program = lower (2);

  for (guint i = 0; i < G_N_ELEMENTS (metas); i++)
    {
      g_autoptr (HirProgram) copy = hir_program_new_from_views (hir_request_dup (program->request),
                                                                g_ptr_array_ref (program->views));
      HirRecording recording = { .views = program->views,
                                 .meta = g_hash_table_new (g_str_hash, g_str_equal) };
      g_autoptr (HirRankPrograms) programs = NULL;
      guint n = program->views->len;

      g_hash_table_insert (recording.meta, (gpointer) "programs", (gpointer) metas[i]);
      programs = hir_rank_programs_read (&recording, copy);
      assert_labels (programs, (const char *const[]){ "ranks 0–3", NULL });
      g_assert_cmpuint (copy->views->len, ==, n);
      g_hash_table_unref (recording.meta);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rank-programs/distinct", test_distinct);
  g_test_add_func ("/rank-programs/same", test_same);
  g_test_add_func ("/rank-programs/identity", test_identity);
  g_test_add_func ("/rank-programs/cancelled", test_cancelled);
  g_test_add_func ("/rank-programs/recording", test_recording);
  g_test_add_func ("/rank-programs/recording-invalid", test_recording_invalid);
  return g_test_run ();
}
