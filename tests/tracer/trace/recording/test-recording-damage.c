/* Tests damaged files: they give an error that names the file, never a crash or incorrect
 * numbers. */
#include "recording-fixture.h"

#include "diagnostic.h"
#include "trace/recording/column-pack.h"
#include "trace/recording/recording-read-private.h"

#define N_EVENTS 3000

static char *folder;

/* A damaged file is rejected or gives exactly the recorded data (if the damage hit unused
 * bytes). */
static gboolean
check_damaged (const char *bytes, gsize size)
{
  g_autofree char *path = g_build_filename (folder, "damaged.hirs", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = NULL;

  g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
  recording = hir_recording_open (path, &error);
  if (recording == NULL)
    {
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, path));
      return TRUE;
    }
  g_assert_no_error (error);
  fixture_assert_trace (recording->trace, N_EVENTS);
  g_assert_cmpuint (recording->views->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HirProgramView) view = fixture_new_view (i, 20);

      fixture_assert_same_view (view, g_ptr_array_index (recording->views, i));
    }
  return FALSE;
}

static char *
read_whole (gsize *size)
{
  g_autofree char *path = g_build_filename (folder, "whole.hirs", NULL);
  char *bytes;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    fixture_record (path, 2, 20, N_EVENTS);
  g_assert_true (g_file_get_contents (path, &bytes, size, NULL));
  return bytes;
}

static void
test_truncated (void)
{
  gsize size;
  g_autofree char *bytes = read_whole (&size);

  g_assert_false (check_damaged (bytes, size));
  for (gsize n = 0; n < size; n += n < 200 ? 1 : 1531)
    g_assert_true (check_damaged (bytes, n));
  g_assert_true (check_damaged (bytes, size - 1));
}

static void
test_flipped (void)
{
  gsize size;
  g_autofree char *bytes = read_whole (&size);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  guint n_rejected = 0;

  for (guint i = 0; i < 800; i++)
    {
      gsize at = (gsize) g_rand_int_range (rand, 0, (gint32) (i < 300 ? 100 : size));
      char flip = (char) (1 << g_rand_int_range (rand, 0, 8));

      bytes[at] ^= flip;
      n_rejected += check_damaged (bytes, size);
      bytes[at] ^= flip;
    }
  /* most of the file is rows with checksums; the free space between them is not */
  g_assert_cmpuint (n_rejected, >, 250);
}

static void
test_garbage (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  gsize size;
  g_autofree char *bytes = read_whole (&size);

  for (guint i = 0; i < 40; i++)
    {
      gsize from = (gsize) g_rand_int_range (rand, 0, (gint32) size);
      gsize to = from + (gsize) g_rand_int_range (rand, 0, (gint32) (size - from));
      g_autofree char *copy = g_memdup2 (bytes, size);

      for (gsize k = from; k < to; k++)
        copy[k] = (char) g_rand_int (rand);
      check_damaged (copy, size);
      memset (copy + from, 0, to - from);
      check_damaged (copy, size);
    }
}

static void
run_sql (const char *path, const char *sql)
{
  sqlite3 *db;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  if (sqlite3_exec (db, sql, NULL, NULL, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (db));
  sqlite3_close (db);
}

/* Values that are out of range but match the checksum (which is not checked here). */
static void
test_out_of_range (void)
{
  static const char *const changes[] = {
    "UPDATE tracks SET kind=4 WHERE id=1",
    "UPDATE tracks SET kind=-1 WHERE id=1",
    "UPDATE tracks SET id=70000 WHERE id=2",
    "UPDATE tracks SET name=x'00'",
    "UPDATE tracks SET rank=99999999999",
    "UPDATE tracks SET rank='a'",
    "UPDATE strings SET text=NULL WHERE id=1",
    "UPDATE strings SET text=CAST(x'ff' AS TEXT) WHERE id=1",
    "UPDATE strings SET text=CAST(x'610062' AS TEXT) WHERE id=1",
    "DELETE FROM strings WHERE id=1",
    "UPDATE chunks SET n=0",
    "UPDATE chunks SET n=n+1",
    "UPDATE chunks SET n=100000000",
    "UPDATE chunks SET first=1",
    "UPDATE chunks SET start=x''",
    "UPDATE chunks SET start=x'00'",
    "UPDATE chunks SET name=zeroblob(n*3)",
    "UPDATE chunks SET name=NULL",
    "UPDATE chunks SET name=zeroblob(100000000)",
    "UPDATE chunks SET name=CAST(replace(hex(zeroblob(n)),'00','1') AS BLOB)",
    "UPDATE chunks SET instruction=CAST(replace(hex(zeroblob(n)),'00','1') AS BLOB)",
    "UPDATE chunks SET track=CAST(replace(hex(zeroblob(n)),'00','1111') AS BLOB)",
    "UPDATE chunks SET kind=CAST(replace(hex(zeroblob(n)),'00','11') AS BLOB)",
    "UPDATE chunks SET correlation=CAST(replace(hex(zeroblob(n)),'00','11111111') AS BLOB)",
    "UPDATE passes SET id=5 WHERE id=1",
    "UPDATE passes SET hash='12'",
    "UPDATE passes SET changed=2",
    "UPDATE passes SET n_nodes=n_nodes-1",
    "UPDATE passes SET n_facts=-1",
    "DELETE FROM snapshots",
    "UPDATE snapshots SET id=9 WHERE id=0",
    "UPDATE snapshots SET text='' WHERE id=0",
    "UPDATE nodes SET id=(SELECT id FROM nodes LIMIT 1)",
    "UPDATE nodes SET id='xyz'",
    "UPDATE nodes SET snapshot=2",
    "UPDATE nodes SET snapshot=-1",
    "UPDATE nodes SET line=-1",
    "UPDATE nodes SET is_expr='yes'",
    "UPDATE origins SET id='0000000000000000'",
    "UPDATE origins SET from_id=NULL",
    "UPDATE facts SET value=NULL",
    "UPDATE facts SET snapshot=1000000",
    "UPDATE spans SET start=-1",
    "UPDATE spans SET end=start-1 WHERE start>1",
    "UPDATE spans SET end=100000000",
    "UPDATE spans SET start=23 WHERE rowid=1", /* inside a character */
    "UPDATE graph_nodes SET kind=5",
    "UPDATE graph_nodes SET in_group=2",
    "UPDATE graph_nodes SET in_group=-2",
    "UPDATE graph_groups SET parent=1",
    "UPDATE graph_groups SET kind=99",
    "UPDATE graph_edges SET to_node=4",
    "UPDATE graph_edges SET from_node=-1",
    "UPDATE graph_edges SET kind=99",
    "ALTER TABLE nodes DROP COLUMN text",
    "UPDATE chunks SET phase=CAST(replace(hex(zeroblob(n)),'00','11') AS BLOB)",
    "UPDATE baseline SET instruction='xyz'",
    "UPDATE baseline SET iteration=-2",
    "UPDATE baseline SET duration=-1",
    "UPDATE baseline SET rank=NULL",
    "UPDATE baseline SET name=NULL",
    "ALTER TABLE baseline DROP COLUMN name",
    "DROP TABLE tracks",
    "PRAGMA user_version=0",
    "UPDATE meta SET value='99' WHERE key='hirs.n_events'",
    "UPDATE meta SET value='many' WHERE key='hirs.n_views'",
  };
  gsize size;
  g_autofree char *bytes = read_whole (&size);
  g_autofree char *path = g_build_filename (folder, "changed.hirs", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HirRecording) recording = NULL;

      g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
      recording = hir_recording_open_full (path, TRUE, &error);
      g_assert_no_error (error);
      g_clear_pointer (&recording, hir_recording_free);
      run_sql (path, changes[i]);
      recording = hir_recording_open_full (path, TRUE, &error);
      if (recording != NULL)
        g_error ("read in spite of: %s", changes[i]);
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
    }
}

static void
test_pack (void)
{
  const guint64 tops[] = { 0,          1, 255, 256, 65535, 65536, G_MAXUINT32, G_MAXUINT32 + 1ull,
                           G_MAXUINT64 };
  const guint widths[] = { 0, 1, 1, 2, 2, 4, 4, 8, 8 };

  for (guint t = 0; t < G_N_ELEMENTS (tops); t++)
    for (guint n = 1; n < 20; n++)
      {
        guint64 values[20], back[20];
        guint8 blob[160];
        gsize size;

        for (guint i = 0; i < n; i++)
          values[i] = tops[t] - (tops[t] > i ? i : 0);
        size = hir_column_pack (values, n, 0, blob);
        g_assert_cmpuint (size, ==, widths[t] * n);
        g_assert_true (hir_column_unpack (blob, size, n, back));
        g_assert_cmpmem (values, n * sizeof *values, back, n * sizeof *back);
        g_assert_false (hir_column_unpack (blob, 3 * n, n, back));
        g_assert_false (hir_column_unpack (blob, 16 * n, n, back));
        if (n > 1)
          g_assert_false (hir_column_unpack (blob, size + 1, n, back));
      }
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  folder = test_folder_new ();
  g_test_add_func ("/recording-damage/truncated", test_truncated);
  g_test_add_func ("/recording-damage/flipped", test_flipped);
  g_test_add_func ("/recording-damage/garbage", test_garbage);
  g_test_add_func ("/recording-damage/out-of-range", test_out_of_range);
  g_test_add_func ("/recording-damage/pack", test_pack);
  result = g_test_run ();
  test_folder_remove (folder);
  g_free (folder);
  return result;
}
