/* Finds the line to insert or remove by trying candidates and checking each changed text. */
#include "program/program-check.h"

#include <string.h>

#include "analysis/sync-observed.h"
#include "print/print.h"
#include "program/program-dump.h"
#include "structural-hash.h"

HirSyncCheck *
hir_program_check_sync (HirProgram *program,
                        gint64 n_streams,
                        HirTrace *trace,
                        gboolean wants_times,
                        GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, cancellable, error);
  HirContainer *fusion = program->fusion != NULL ? program->fusion : program->printed;
  HirSyncCheck *check;

  if (hosts == NULL)
    return NULL;
  if (fusion == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "a recording without its script cannot be checked; open the script");
      return NULL;
    }

  const HirSyncOptions options = { .n_streams = n_streams,
                                   .inputs = (const char *const *) program->request->inputs,
                                   .rank = (int) program->request->rank,
                                   .wants_times = wants_times };
  check = hir_sync_check_new (fusion, (HirContainer *const *) hosts->pdata, hosts->len, &options,
                              cancellable, error);
  if (check != NULL && trace != NULL)
    (void) hir_sync_check_add_recording (check, trace);
  return check;
}

/* A text and the search for one change of it. Lines count from 0. */
typedef struct
{
  HirProgram *program; /* the program read from the text */
  GPtrArray *lines;    /* char* */
  gint64 n_streams;
  guint n_missing, n_faults;
  HirRequest *found; /* nullable */
  char *what;
} Fix;

static HirProgram *
read_text (HirProgram *program, const char *text, GCancellable *cancellable, GError **error)
{
  const HirSource *before = program->request->source;
  g_autofree char *path = hir_program_is_dump (before)
                              ? g_strdup (before->path)
                              : g_strdup_printf ("%s, printed", before->path);
  HirSource *source = hir_source_new (path, text, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, NULL);

  hir_source_unref (source);
  request->n_devices = program->request->n_devices;
  request->rank = program->request->rank;
  request->inputs = g_strdupv (program->request->inputs);
  return hir_program_new (request, NULL, cancellable, error);
}

typedef struct
{
  guint64 id;
  const HirExpr *expr; /* nullable */
  guint number, n;
  guint line; /* from 1; 0: not found */
} Find;

static gboolean
find_number (HirExpr *expr, guint depth, gpointer user_data)
{
  Find *find = user_data;

  if (expr->node.id == find->id && find->number == G_MAXUINT)
    find->number = find->n;
  find->n++;
  return TRUE;
}

static gboolean
find_line (HirExpr *expr, guint depth, gpointer user_data)
{
  Find *find = user_data;

  if (find->n++ == find->number)
    find->line = expr->node.pos.line;
  return TRUE;
}

/* Returns the line of @expr in the printed program; -1 if @expr is NULL, which is the caller. */
static int
get_line (HirContainer *host, HirContainer *printed, const HirExpr *expr)
{
  Find find = { .number = G_MAXUINT };

  if (expr == NULL)
    return -1;
  find.id = expr->node.id;
  hir_container_foreach_expr (host, find_number, &find);
  find.n = 0;
  hir_container_foreach_expr (printed, find_line, &find);
  return (int) find.line - 1;
}

static guint
get_indent (const char *line)
{
  return (guint) strspn (line, " ");
}

static const char *
get_text_line (const Fix *fix, int i)
{
  return g_ptr_array_index (fix->lines, i);
}

/* Returns the line that ends the scope of line @i. */
static int
find_scope_end (const Fix *fix, int i)
{
  guint indent = get_indent (get_text_line (fix, i));
  int end = i + 1;

  while (end < (int) fix->lines->len &&
         (get_indent (get_text_line (fix, end)) >= indent || *get_text_line (fix, end) == '\0'))
    end++;
  return end;
}

static int
find_program_end (const Fix *fix)
{
  int i = (int) fix->lines->len - 1;

  while (i > 0 && !g_str_has_prefix (get_text_line (fix, i), "}"))
    i--;
  return i;
}

/* Tries the text with @instruction (nullable) inserted before line @at and line @removed (-1: none)
 * removed. Stores it in @fix if fewer synchronizations are missing. */
static void
try_line (
    Fix *fix, int at, guint indent, const char *instruction, int removed, GCancellable *cancellable)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirSyncCheck) check = NULL;

  if (fix->found != NULL || at < 0)
    return;
  for (int i = 0; i < (int) fix->lines->len; i++)
    {
      if (i == at && instruction != NULL)
        g_string_append_printf (text, "%*s%s\n", (int) indent, "", instruction);
      if (i != removed)
        g_string_append_printf (text, "%s%s", get_text_line (fix, i),
                                i + 1 < (int) fix->lines->len ? "\n" : "");
    }
  program = read_text (fix->program, text->str, cancellable, NULL);
  check = program != NULL && program->error == NULL
              ? hir_program_check_sync (program, fix->n_streams, NULL, FALSE, cancellable, NULL)
              : NULL;
  if (check == NULL || check->trace->faults->len > fix->n_faults ||
      check->missing->len >= fix->n_missing)
    return;
  fix->found = hir_request_dup (program->request);
  fix->what =
      instruction != NULL
          ? g_strdup_printf ("%s%s in line %d", removed >= 0 ? "moved: " : "", instruction, at + 1)
          : g_strdup_printf ("removed: %s in line %d",
                             get_text_line (fix, removed) +
                                 get_indent (get_text_line (fix, removed)),
                             removed + 1);
}

/* Returns the distinct streams in the text: "Stream 0", "Stream ( StreamIdx % numberOfStreams
 * )". */
static GPtrArray *
dup_streams (const Fix *fix)
{
  static const char *const words[] = { "Synchronize ", "SetCurrentStream to ",
                                       "GetCurrentStream into " };
  GPtrArray *streams = g_ptr_array_new_with_free_func (g_free);

  for (guint w = 0; w < G_N_ELEMENTS (words); w++)
    for (guint i = 0; i < fix->lines->len; i++)
      {
        const char *at = strstr (get_text_line (fix, (int) i), words[w]);
        g_autofree char *stream =
            at != NULL ? g_strstrip (g_strdup (at + strlen (words[w]))) : NULL;

        if (stream != NULL &&
            !g_ptr_array_find_with_equal_func (streams, stream, g_str_equal, NULL))
          g_ptr_array_add (streams, g_steal_pointer (&stream));
      }
  return streams;
}

/* Tries a Wait for the communication posted in line @first, before its use in line @second. */
static void
try_wait (Fix *fix, int first, int second, GCancellable *cancellable)
{
  const char *at = first >= 0 ? strstr (get_text_line (fix, first), "Communication ") : NULL;
  g_autofree char *name = NULL;
  g_autofree char *wait = NULL;
  int removed = -1;

  if (at == NULL)
    return;
  name = g_strndup (at, strcspn (at + strlen ("Communication "), " (") + strlen ("Communication "));
  wait = g_strconcat ("Wait ", name, NULL);
  for (int i = 0; i < (int) fix->lines->len && removed < 0; i++)
    if (g_str_equal (get_text_line (fix, i) + get_indent (get_text_line (fix, i)), wait))
      removed = i;
  try_line (fix, second, second >= 0 ? get_indent (get_text_line (fix, second)) : 0, wait, removed,
            cancellable);
  try_line (fix, find_scope_end (fix, first), get_indent (get_text_line (fix, first)), wait,
            removed, cancellable);
}

static void
try_streams (Fix *fix, int first, int second, GCancellable *cancellable)
{
  g_autoptr (GPtrArray) streams = dup_streams (fix);
  int end = find_program_end (fix);

  for (guint i = 0; i < streams->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      g_autofree char *line = g_strconcat ("Synchronize ", g_ptr_array_index (streams, i), NULL);

      if (second >= 0)
        try_line (fix, second, get_indent (get_text_line (fix, second)), line, -1, cancellable);
      if (first >= 0)
        try_line (fix, find_scope_end (fix, first), get_indent (get_text_line (fix, first)), line,
                  -1, cancellable);
      try_line (fix, end, 2, line, -1, cancellable);
    }
}

static gboolean
is_one_program (const HirSyncTrace *trace)
{
  for (guint i = 1; i < trace->programs->len; i++)
    if (hir_container_hash (g_ptr_array_index (trace->programs, i)) !=
        hir_container_hash (g_ptr_array_index (trace->programs, 0)))
      return FALSE;
  return TRUE;
}

/* Gets the lines of the printed program. Returns FALSE if the ranks have different programs. */
static gboolean
open_text (Fix *fix, HirProgram *program, const HirSyncCheck *check, GError **error)
{
  HirContainer *host = hir_program_get_host (program);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (host == NULL || !is_one_program (check->trace))
    {
      hir_set_error (
          error, HIR_ERROR_UNSUPPORTED, NULL,
          "the ranks run different programs; change the script or the options of a pass");
      return FALSE;
    }
  text = hir_program_is_dump (program->request->source) && program->views->len == 1
             ? g_strdup (program->request->source->text)
             : hir_container_print (host, program->request->format, NULL);
  fix->program = read_text (program, text, NULL, error);
  if (fix->program == NULL)
    return FALSE;
  lines = g_strsplit (text, "\n", -1);
  fix->lines = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; lines[i] != NULL; i++)
    g_ptr_array_add (fix->lines, g_strdup (lines[i]));
  fix->n_streams = check->n_streams;
  fix->n_missing = check->missing->len;
  fix->n_faults = check->trace->faults->len;
  return TRUE;
}

/* Frees the text. Returns the request that was found, or NULL with @why as @error. */
static HirRequest *
close_text (Fix *fix, const char *why, char **what, GError **error)
{
  g_ptr_array_unref (fix->lines);
  hir_program_unref (fix->program);
  if (fix->found != NULL)
    *what = fix->what;
  else
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL, "%s", why);
  return fix->found;
}

HirRequest *
hir_program_fix_sync (HirProgram *program,
                      const HirSyncCheck *check,
                      guint index,
                      GCancellable *cancellable,
                      char **what,
                      GError **error)
{
  const HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, index);
  HirContainer *host = hir_program_get_host (program);
  Fix fix = { 0 };
  int first, second;

  if (!open_text (&fix, program, check, error))
    return NULL;
  first = get_line (host, hir_program_get_host (fix.program),
                    hir_sync_trace_get_step (check->trace, missing->first)->expr);
  second = get_line (host, hir_program_get_host (fix.program),
                     hir_sync_trace_get_step (check->trace, missing->second)->expr);
  try_wait (&fix, first, second, cancellable);
  try_streams (&fix, first, second, cancellable);
  return close_text (&fix,
                     "no change of a single line fixes it; change the script or several lines",
                     what, error);
}

static gboolean
is_droppable (const HirSyncUse *use)
{
  return use->is_redundant && use->expr->kind == HIR_EXPR_SYNCHRONIZE;
}

int
hir_sync_check_find_droppable (const HirSyncCheck *check)
{
  for (guint i = 0; i < check->uses->len; i++)
    if (is_droppable (&g_array_index (check->uses, HirSyncUse, i)))
      return (int) i;
  return -1;
}

HirRequest *
hir_program_drop_sync (HirProgram *program,
                       const HirSyncCheck *check,
                       guint index,
                       GCancellable *cancellable,
                       char **what,
                       GError **error)
{
  const HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, index);
  Fix fix = { 0 };
  int line;

  if (!is_droppable (use))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     use->is_redundant
                         ? "a run requires one Wait for each communication; it cannot be removed"
                         : "the synchronization is not redundant");
      return NULL;
    }
  if (!open_text (&fix, program, check, error))
    return NULL;
  line = get_line (hir_program_get_host (program), hir_program_get_host (fix.program), use->expr);
  fix.n_missing++; /* the same number of missing synchronizations is acceptable */
  try_line (&fix, line, 0, NULL, line, cancellable);
  return close_text (&fix, "removing its line makes synchronization missing", what, error);
}
