/* Lowers for all ranks, merges equal programs, and stores them in a recording. */
#include "program/rank-programs.h"

#include <string.h>

/* Meta key. Value: ranks and number of snapshots of each program in order, "0,2-3:7;1:7". */
#define META_PROGRAMS "programs"
#define MAX_RANKS 65536

static void
rank_program_free (gpointer data)
{
  HirRankProgram *entry = data;

  hir_program_unref (entry->program);
  g_array_unref (entry->ranks);
  g_free (entry);
}

static HirRankProgram *
add_entry (HirRankPrograms *programs, HirProgram *program)
{
  HirRankProgram *entry = g_new0 (HirRankProgram, 1);

  entry->program = hir_program_ref (program);
  entry->ranks = g_array_new (FALSE, FALSE, sizeof (int));
  g_ptr_array_add (programs->programs, entry);
  return entry;
}

static gint64
get_n_ranks (const HirProgram *program)
{
  return program->request != NULL ? CLAMP (program->request->n_devices, 1, MAX_RANKS) : 1;
}

static void
add_rank (HirRankProgram *entry, int rank)
{
  g_array_append_val (entry->ranks, rank);
}

/* Adds one entry for all ranks. */
static void
add_for_all (HirRankPrograms *programs, HirProgram *program)
{
  gint64 n = get_n_ranks (program);
  HirRankProgram *entry = add_entry (programs, program);

  for (int rank = 0; rank < n; rank++)
    add_rank (entry, rank);
}

static HirRankPrograms *
programs_new (void)
{
  HirRankPrograms *programs = g_new0 (HirRankPrograms, 1);

  g_atomic_ref_count_init (&programs->ref_count);
  programs->programs = g_ptr_array_new_with_free_func (rank_program_free);
  return programs;
}

HirRankPrograms *
hir_rank_programs_ref (HirRankPrograms *programs)
{
  g_atomic_ref_count_inc (&programs->ref_count);
  return programs;
}

void
hir_rank_programs_unref (HirRankPrograms *programs)
{
  if (!g_atomic_ref_count_dec (&programs->ref_count))
    return;
  g_ptr_array_unref (programs->programs);
  g_free (programs);
}

/* Returns a key that is equal for equal programs: the text, which names teams, roots and peers, and
 * the error. */
static char *
dup_key (HirLowering *lowering)
{
  HirSnapshot *last = hir_lowering_get_last (lowering);
  g_autofree char *text =
      last != NULL ? hir_container_print (last->program, HIR_FORMAT_2025, NULL) : g_strdup ("");

  return g_strdup_printf ("%s\n%s", lowering->error != NULL ? lowering->error->message : "", text);
}

static gboolean
lower_rank (HirRankPrograms *programs,
            HirProgram *shown,
            int rank,
            GHashTable *entries,
            GCancellable *cancellable,
            GError **error)
{
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirLowering) lowering = NULL;
  g_autofree char *key = NULL;
  HirRankProgram *entry;

  if (rank == shown->request->rank)
    program = hir_program_ref (shown);
  else
    lowering = hir_program_lower_for_rank (shown, rank, cancellable, error);
  if (program == NULL && lowering == NULL)
    return FALSE;
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  key = dup_key (program != NULL ? program->lowering : lowering);
  entry = g_hash_table_lookup (entries, key);
  if (entry == NULL)
    {
      if (program == NULL)
        program = hir_program_new_from_lowering (shown, rank, g_steal_pointer (&lowering));
      entry = add_entry (programs, program);
      g_hash_table_insert (entries, g_steal_pointer (&key), entry);
    }
  add_rank (entry, rank);
  return TRUE;
}

/* Uses the displayed program for its entry, instead of an equal one of a lower rank. */
static void
use_shown (HirRankPrograms *programs, HirProgram *shown)
{
  int i = hir_rank_programs_find (programs, (int) shown->request->rank);
  HirRankProgram *entry = programs->programs->pdata[i];

  hir_program_ref (shown);
  hir_program_unref (entry->program);
  entry->program = shown;
}

HirRankPrograms *
hir_rank_programs_new (HirProgram *program, GCancellable *cancellable, GError **error)
{
  g_autoptr (HirRankPrograms) programs = programs_new ();
  g_autoptr (GHashTable) entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gint64 n = get_n_ranks (program);
  gint64 shown = program->request != NULL ? program->request->rank : 0;

  if (n == 1 || program->lowering == NULL || shown < 0 || shown >= n ||
      !hir_program_is_on_mesh (program))
    {
      add_for_all (programs, program);
      return g_steal_pointer (&programs);
    }
  for (int rank = 0; rank < n; rank++)
    if (!lower_rank (programs, program, rank, entries, cancellable, error))
      return NULL;
  use_shown (programs, program);
  return g_steal_pointer (&programs);
}

int
hir_rank_programs_find (const HirRankPrograms *programs, int rank)
{
  for (guint i = 0; i < programs->programs->len; i++)
    {
      const GArray *ranks = hir_rank_programs_get (programs, i)->ranks;

      for (guint j = 0; j < ranks->len; j++)
        if (g_array_index (ranks, int, j) == rank)
          return (int) i;
    }
  return -1;
}

int
hir_rank_programs_find_program (const HirRankPrograms *programs, const HirProgram *program)
{
  for (guint i = 0; i < programs->programs->len; i++)
    if (hir_rank_programs_get (programs, i)->program == program)
      return (int) i;
  return -1;
}

/* Formats @ranks, "0, 2-4", with the given separators. */
static char *
dup_ranks (const GArray *ranks, const char *comma, const char *dash)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0, end; i < ranks->len; i = end)
    {
      int first = g_array_index (ranks, int, i);

      for (end = i + 1;
           end < ranks->len && g_array_index (ranks, int, end) == first + (int) (end - i);)
        end++;
      g_string_append_printf (text, "%s%d", i > 0 ? comma : "", first);
      if (end - i > 1)
        g_string_append_printf (text, "%s%d", end - i > 2 ? dash : comma,
                                g_array_index (ranks, int, end - 1));
    }
  return g_string_free (text, FALSE);
}

char *
hir_rank_program_dup_label (const HirRankProgram *program)
{
  g_autofree char *ranks = dup_ranks (program->ranks, ", ", "\xe2\x80\x93");

  return g_strdup_printf (program->ranks->len == 1 ? "rank %s" : "ranks %s", ranks);
}

static void
lower_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  HirRankPrograms *programs = hir_rank_programs_new (task_data, cancellable, &error);

  if (programs != NULL)
    g_task_return_pointer (task, programs, (GDestroyNotify) hir_rank_programs_unref);
  else
    g_task_return_error (task, error);
}

void
hir_rank_programs_new_async (HirProgram *program,
                             GCancellable *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, hir_rank_programs_new_async);
  g_task_set_task_data (task, hir_program_ref (program), (GDestroyNotify) hir_program_unref);
  g_task_run_in_thread (task, lower_in_thread);
}

HirRankPrograms *
hir_rank_programs_new_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
append_meta (GString *text, const HirRankProgram *entry)
{
  g_autofree char *ranks = dup_ranks (entry->ranks, ",", "-");

  g_string_append_printf (text, "%s%s:%u", text->len > 0 ? ";" : "", ranks,
                          entry->program->views->len);
}

gboolean
hir_rank_programs_write (const HirRankPrograms *programs,
                         const HirProgram *shown,
                         HirRecordingWriter *writer,
                         GError **error)
{
  g_autoptr (GString) meta = g_string_new (NULL);
  int first = hir_rank_programs_find_program (programs, shown);
  guint index = shown->views->len;

  if (programs->programs->len < 2 || first < 0)
    return TRUE;
  append_meta (meta, hir_rank_programs_get (programs, (guint) first));
  for (guint i = 0; i < programs->programs->len; i++)
    {
      const HirRankProgram *entry = hir_rank_programs_get (programs, i);

      if (i == (guint) first)
        continue;
      append_meta (meta, entry);
      for (guint v = 0; v < entry->program->views->len; v++)
        if (!hir_recording_writer_add_view (writer, index++, entry->program->views->pdata[v],
                                            error))
          return FALSE;
    }
  return hir_recording_writer_set_meta (writer, META_PROGRAMS, meta->str, error);
}

/* Parses "0,2-3:7". Returns FALSE if it is malformed. */
static gboolean
parse_program (const char *text, GArray *ranks, guint *n_views)
{
  g_auto (GStrv) halves = g_strsplit (text, ":", 2);
  g_auto (GStrv) ranges = halves[0] != NULL ? g_strsplit (halves[0], ",", -1) : NULL;
  guint64 n, first, last;

  if (g_strv_length (halves) != 2 || *halves[0] == '\0' ||
      !g_ascii_string_to_unsigned (halves[1], 10, 1, G_MAXUINT32, &n, NULL))
    return FALSE;
  for (guint i = 0; ranges[i] != NULL; i++)
    {
      g_auto (GStrv) ends = g_strsplit (ranges[i], "-", 2);

      if (ends[0] == NULL || !g_ascii_string_to_unsigned (ends[0], 10, 0, MAX_RANKS, &first, NULL))
        return FALSE;
      last = first;
      if (ends[1] != NULL &&
          !g_ascii_string_to_unsigned (ends[1], 10, first, MAX_RANKS, &last, NULL))
        return FALSE;
      for (int rank = (int) first; rank <= (int) last; rank++)
        g_array_append_val (ranks, rank);
    }
  *n_views = (guint) n;
  return TRUE;
}

static HirProgram *
take_views (const HirProgram *like, const HirRecording *recording, guint from, guint n, int rank)
{
  GPtrArray *views = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  HirRequest *request = like->request != NULL ? hir_request_dup (like->request) : NULL;

  for (guint i = from; i < from + n; i++)
    g_ptr_array_add (views, hir_program_view_ref (recording->views->pdata[i]));
  if (request != NULL)
    request->rank = rank;
  return hir_program_new_from_views (request, views);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const HirRankProgram *x = *(HirRankProgram *const *) a, *y = *(HirRankProgram *const *) b;

  return g_array_index (x->ranks, int, 0) - g_array_index (y->ranks, int, 0);
}

/* Reads the programs from the meta table. Returns FALSE if there are none or the value is invalid;
 * all views then belong to one program. */
static gboolean
read_programs (HirRankPrograms *programs, const HirRecording *recording, HirProgram *program)
{
  const char *meta = hir_recording_get_meta (recording, META_PROGRAMS);
  g_auto (GStrv) texts = meta != NULL ? g_strsplit (meta, ";", MAX_RANKS) : NULL;
  guint from = 0, n, n_first = 0;

  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      g_autoptr (GArray) ranks = g_array_new (FALSE, FALSE, sizeof (int));
      g_autoptr (HirProgram) other = NULL;
      HirRankProgram *entry;

      if (!parse_program (texts[i], ranks, &n) || n > recording->views->len - from)
        return FALSE;
      if (i > 0)
        other = take_views (program, recording, from, n, g_array_index (ranks, int, 0));
      else
        n_first = n;
      entry = add_entry (programs, i == 0 ? program : other);
      g_array_append_vals (entry->ranks, ranks->data, ranks->len);
      from += n;
    }
  if (texts == NULL || from != recording->views->len)
    return FALSE;
  g_ptr_array_set_size (program->views, (int) n_first);
  g_ptr_array_sort (programs->programs, compare_entries);
  return TRUE;
}

HirRankPrograms *
hir_rank_programs_read (const HirRecording *recording, HirProgram *program)
{
  HirRankPrograms *programs = programs_new ();

  if (read_programs (programs, recording, program))
    return programs;
  g_ptr_array_set_size (programs->programs, 0);
  add_for_all (programs, program);
  return programs;
}
