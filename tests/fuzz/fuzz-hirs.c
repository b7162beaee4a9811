/* fuzz-hirs N [SEED]: broken recordings. Half of the inputs are valid files with broken bytes,
 * as after an accident; half are valid databases with wrong values and unverified checksums, as
 * from an attacker. Each is opened and, if possible, traversed. A crash or a hang names the run. */
#include "trace/recording-fixture.h"

#include "trace/event-args.h"
#include "trace/recording/recording-args.h"
#include "trace/recording/recording-read-private.h"

#include <stdlib.h>

#include "input.h"

#define SECONDS_PER_RUN 20

typedef struct
{
  GRand *rand;
  char *folder, *path;
  char *seed_bytes;
  gsize seed_size;
  GPtrArray *tables; /* char * "table.column" */
  guint n_accepted;
} Fuzzer;

/* Written before each run, so that a signal handler only needs to print it. */
static guint
random_below (Fuzzer *fuzzer, guint n)
{
  return n == 0 ? 0 : g_rand_int (fuzzer->rand) % n;
}

static void
mutate_bytes (Fuzzer *fuzzer, GByteArray *bytes)
{
  guint n = 1 + random_below (fuzzer, 4);

  for (guint i = 0; i < n && bytes->len > 0; i++)
    {
      guint reach = random_below (fuzzer, 3) == 0 ? MIN (bytes->len, 4096) : bytes->len;
      guint at = random_below (fuzzer, reach);
      guint wanted = 1 + random_below (fuzzer, 64);
      guint length = MIN (bytes->len - at, wanted);

      switch (random_below (fuzzer, 6))
        {
        case 0:
          bytes->data[at] ^= (guint8) (1 << random_below (fuzzer, 8));
          break;
        case 1:
          bytes->data[at] = (guint8) random_below (fuzzer, 256);
          break;
        case 2:
          memset (bytes->data + at, random_below (fuzzer, 2) ? 0xff : 0, length);
          break;
        case 3:
          memmove (bytes->data + at, bytes->data + random_below (fuzzer, bytes->len - length + 1),
                   length);
          break;
        case 4:
          g_byte_array_remove_range (bytes, at, length);
          break;
        default:
          g_byte_array_set_size (bytes, at);
          break;
        }
    }
}

static const char *const values[] = { "NULL",
                                      "0",
                                      "1",
                                      "-1",
                                      "2",
                                      "65535",
                                      "65536",
                                      "2147483647",
                                      "-2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "0.5",
                                      "1e300",
                                      "''",
                                      "'a'",
                                      "x''",
                                      "x'00'",
                                      "x'ff'",
                                      "zeroblob(40)",
                                      "zeroblob(1000)",
                                      "randomblob(40)",
                                      "randomblob(80)",
                                      "randomblob(320)",
                                      "'0123456789abcdef'",
                                      "CAST(x'ff00ff' AS TEXT)",
                                      "replace(hex(zeroblob(500)),'00','long ')" };

/* Changes one to three cells of the database, or deletes or duplicates rows. */
static void
mutate_values (Fuzzer *fuzzer, sqlite3 *db)
{
  guint n = 1 + random_below (fuzzer, 3);

  for (guint i = 0; i < n; i++)
    {
      const char *cell =
          g_ptr_array_index (fuzzer->tables, random_below (fuzzer, fuzzer->tables->len));
      g_auto (GStrv) names = g_strsplit (cell, ".", 2);
      const char *value = values[random_below (fuzzer, G_N_ELEMENTS (values))];
      guint row = random_below (fuzzer, 12);
      g_autofree char *sql = NULL;

      switch (random_below (fuzzer, 8))
        {
        case 0:
          sql = g_strdup_printf ("DELETE FROM %s WHERE rowid=%u", names[0], row);
          break;
        case 1:
          sql = g_strdup_printf ("INSERT INTO %s SELECT * FROM %s LIMIT 2", names[0], names[0]);
          break;
        case 2:
          sql = g_strdup_printf ("UPDATE %s SET %s=%s", names[0], names[1], value);
          break;
        default:
          sql = g_strdup_printf ("UPDATE %s SET %s=%s WHERE rowid=%u", names[0], names[1], value,
                                 row);
          break;
        }
      /* A statement that SQLite rejects changes nothing. */
      sqlite3_exec (db, sql, NULL, NULL, NULL);
    }
}

static int
take_text (gpointer data, int n, char **row, char **names)
{
  g_free (*(char **) data);
  *(char **) data = g_strdup (row[0]);
  return 0;
}

/* Changes the bytes of a column of a chunk without its size: references can be invalid, times
 * can wrap, numbers can be out of range. */
static void
mutate_chunk (Fuzzer *fuzzer, sqlite3 *db)
{
  static const char *const columns[] = { "start",     "duration", "instruction", "name",
                                         "lengths",   "track",    "correlation", "kind",
                                         "iteration", "text" };
  const char *column = columns[random_below (fuzzer, G_N_ELEMENTS (columns))];
  const char *table =
      g_str_equal (column, "lengths") || g_str_equal (column, "text") ? "args" : "chunks";
  guint row = random_below (fuzzer, 4), n = 1 + random_below (fuzzer, 8);
  g_autofree char *read =
      g_strdup_printf ("SELECT hex(%s) FROM %s WHERE rowid=%u", column, table, row);
  g_autofree char *hex = NULL, *sql = NULL;
  gsize length;

  sqlite3_exec (db, read, take_text, &hex, NULL);
  length = hex != NULL ? strlen (hex) : 0;
  for (guint i = 0; i < n && length > 0; i++)
    hex[random_below (fuzzer, (guint) length)] =
        random_below (fuzzer, 3) == 0 ? 'F' : "0123456789ABCDEF"[random_below (fuzzer, 16)];
  if (length > 4 && random_below (fuzzer, 6) == 0)
    hex[length - 2 * (1 + random_below (fuzzer, 2))] = '\0';
  sql = g_strdup_printf ("UPDATE %s SET %s=x'%s' WHERE rowid=%u", table, column,
                         hex != NULL ? hex : "", row);
  sqlite3_exec (db, sql, NULL, NULL, NULL);
}

static void
walk_view (const HirProgramView *view)
{
  gsize length = view->text != NULL ? strlen (view->text) : 0;
  GHashTableIter iter;
  gpointer value;

  g_assert_nonnull (view->graph);
  for (guint i = 0; i < view->spans->len; i++)
    g_assert_cmpuint (g_array_index (view->spans, HirSpan, i).end, <=, length);
  for (guint i = 0; i < view->graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (view->graph->edges, HirGraphEdge, i);

      g_assert_cmpuint (MAX (edge->from, edge->to), <, view->graph->nodes->len);
    }
  for (guint i = 0; i < view->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (view->graph->nodes, HirGraphNode, i);

      g_assert_cmpint (node->group, <, (int) view->graph->groups->len);
      g_assert_true (g_utf8_validate (node->title, -1, NULL));
    }
  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const HirNodeInfo *info = value;

      g_assert_true (info->label == NULL || g_utf8_validate (info->label, -1, NULL));
      for (guint i = 0; i < info->facts->len; i++)
        g_assert_nonnull (g_array_index (info->facts, HirFact, i).value);
    }
}

static void
walk_trace (const HirTrace *trace)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        g_autofree char *args = hir_trace_dup_event_json (trace, t, i, NULL, NULL);
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        g_assert_cmpint (event.start_ns, <=, event.end_ns);
        g_assert_cmpint (event.kind, <, HIR_N_EVENT_KINDS);
        g_assert_true (g_utf8_validate (hir_trace_get_string (trace, event.name), -1, NULL));
        g_assert_cmpuint (hir_trace_find_first (trace, t, event.end_ns - 1), <=, i);
      }
}

static void
write_input (Fuzzer *fuzzer, gboolean by_value)
{
  GByteArray *bytes = g_byte_array_new ();
  sqlite3 *db = NULL;

  g_byte_array_append (bytes, (const guint8 *) fuzzer->seed_bytes, (guint) fuzzer->seed_size);
  if (!by_value)
    mutate_bytes (fuzzer, bytes);
  g_assert_true (g_file_set_contents_full (fuzzer->path, (const char *) bytes->data, bytes->len,
                                           G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_byte_array_unref (bytes);
  if (!by_value)
    return;
  g_assert_cmpint (sqlite3_open (fuzzer->path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY", NULL, NULL, NULL);
  if (random_below (fuzzer, 3) == 0)
    mutate_chunk (fuzzer, db);
  else
    mutate_values (fuzzer, db);
  sqlite3_close (db);
}

static void
run_one (Fuzzer *fuzzer)
{
  gboolean by_value = random_below (fuzzer, 2) == 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = NULL;

  write_input (fuzzer, by_value);
  recording =
      hir_recording_open_full (fuzzer->path, by_value || random_below (fuzzer, 4) == 0, &error);
  if (recording == NULL)
    {
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, fuzzer->path));
      return;
    }
  fuzzer->n_accepted++;
  walk_trace (recording->trace);
  for (guint i = 0; i < recording->views->len; i++)
    walk_view (g_ptr_array_index (recording->views, i));
}

static int
take_cell (gpointer data, int n, char **row, char **names)
{
  g_ptr_array_add (data, g_strdup (row[0]));
  return 0;
}

/* Adds arguments to some events, as if another profiler had recorded them. */
static void
add_args (sqlite3 *db, const char *path)
{
  sqlite3_stmt *insert = hir_db_prepare_insert (db, path, "args", NULL);
  HirArgsPacker packer;

  hir_args_packer_init (&packer);
  for (guint i = 0; i < 40; i += i == 5 ? 10 : 1)
    {
      g_autofree char *json = g_strdup_printf ("\"grid\":[%u,1,1],\"name\":\"a\\u00e9%u\"", i, i);

      g_assert_true (hir_args_packer_add (&packer, i, i % 4 == 0 ? "" : json, NULL));
    }
  g_assert_true (hir_args_packer_insert (&packer, insert, path, NULL));
  hir_args_packer_clear (&packer);
  sqlite3_finalize (insert);
  sqlite3_exec (db, "DELETE FROM meta WHERE key='hirs.n_args'", NULL, NULL, NULL);
}

/* Adds the two points of a flow. */
static void
add_flow (sqlite3 *db, const char *path)
{
  sqlite3_stmt *insert = hir_db_prepare_insert (db, path, "flows", NULL);

  for (int i = 0; i < 2; i++)
    {
      HirRow row;

      hir_row_begin (&row, insert, path, "flows");
      hir_row_put_text (&row, "fwdbwd");
      hir_row_put_text (&row, "a");
      hir_row_put_int (&row, 1);
      hir_row_put_int (&row, "sf"[i]);
      hir_row_put_int (&row, i);
      hir_row_put_int (&row, i);
      hir_row_put_int (&row, 100 * i);
      g_assert_true (hir_row_insert (&row, NULL));
    }
  sqlite3_finalize (insert);
}

static void
fuzzer_init (Fuzzer *fuzzer, guint32 seed)
{
  sqlite3 *db;

  /* The files are small and numerous: use memory if possible. */
  if (g_access ("/dev/shm", W_OK) == 0)
    g_setenv ("TMPDIR", "/dev/shm", TRUE);
  fuzzer->rand = g_rand_new_with_seed (seed);
  fuzzer->folder = test_folder_new ();
  fuzzer->path = g_build_filename (fuzzer->folder, "input.hirs", NULL);
  fuzzer->tables = g_ptr_array_new_with_free_func (g_free);
  fixture_record (fuzzer->path, 2, 4, 40);
  g_assert_cmpint (sqlite3_open (fuzzer->path, &db), ==, SQLITE_OK);
  add_args (db, fuzzer->path);
  add_flow (db, fuzzer->path);
  g_assert_cmpint (sqlite3_exec (db,
                                 "SELECT m.name||'.'||c.name FROM sqlite_schema m,"
                                 " pragma_table_info(m.name) c WHERE m.type='table'",
                                 take_cell, fuzzer->tables, NULL),
                   ==, SQLITE_OK);
  sqlite3_close (db);
  g_assert_true (g_file_get_contents (fuzzer->path, &fuzzer->seed_bytes, &fuzzer->seed_size, NULL));
}

static void
fuzzer_clear (Fuzzer *fuzzer)
{
  test_folder_remove (fuzzer->folder);
  g_ptr_array_unref (fuzzer->tables);
  g_rand_free (fuzzer->rand);
  g_free (fuzzer->seed_bytes);
  g_free (fuzzer->path);
  g_free (fuzzer->folder);
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 1000;
  guint32 seed = argc > 2 ? (guint32) strtoul (argv[2], NULL, 10) : 1;
  Fuzzer fuzzer = { 0 };

  fuzzer_init (&fuzzer, seed);
  for (guint i = 0; i < n; i++)
    {
      fuzz_input_begin (SECONDS_PER_RUN,
                        "fuzz-hirs: crash or hang in run %u of seed %u; the input is %s", i, seed,
                        fuzzer.path);
      run_one (&fuzzer);
    }
  fuzz_input_end ();
  g_print ("hirs: %u inputs, %u rejected, %u read, no crash, no hang\n", n, n - fuzzer.n_accepted,
           fuzzer.n_accepted);
  fuzzer_clear (&fuzzer);
  return 0;
}
