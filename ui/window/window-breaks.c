/* Breakpoints in the window: set by margin, graph, key and words; kept with the document. */
#include "debugger/break-memory.h"
#include "window/window-debug-private.h"

/* HirContainer*, one a program, that of rank 0 first; borrowed from the document. */
static GPtrArray *
dup_programs (HirWindow *window)
{
  GPtrArray *programs = g_ptr_array_new ();
  HirRankPrograms *ranks = hir_document_get_ranks (window->document);
  HirProgram *program = hir_document_get_program (window->document);
  HirContainer *host = program != NULL ? hir_program_get_host (program) : NULL;
  int first = ranks != NULL ? hir_rank_programs_find (ranks, 0) : -1;

  for (guint i = 0; ranks != NULL && i < ranks->programs->len; i++)
    {
      HirContainer *one = hir_program_get_host (hir_rank_programs_get (ranks, i)->program);

      if (one != NULL)
        g_ptr_array_insert (programs, (int) i == first ? 0 : -1, one);
    }
  if (programs->len == 0 && host != NULL)
    g_ptr_array_add (programs, host);
  return programs;
}

/* What tells the document from others; NULL where it is none that could be opened again. */
static char *
dup_document (HirWindow *window)
{
  HirRequest *request = hir_document_get_request (window->document);
  const char *recording = hir_document_get_recording_path (window->document);

  if (recording != NULL)
    return g_canonicalize_filename (recording, NULL);
  if (request == NULL)
    return NULL;
  return g_strdup_printf ("%s::%s",
                          window->opening_path != NULL ? window->opening_path
                                                       : request->source->path,
                          request->function != NULL ? request->function : "");
}

static void
keep (HirDebugging *self)
{
  if (self->document != NULL)
    hir_break_memory_keep (self->memory, self->document, self->breaks);
}

void
hir_window_breaks_show (HirWindow *window)
{
  HirDebugging *self = hir_window_get_debugging (window);
  g_autoptr (GArray) ids = hir_debug_breaks_dup_ids (self->breaks, FALSE);
  g_autoptr (GArray) disabled = hir_debug_breaks_dup_ids (self->breaks, TRUE);

  hir_break_list_set (hir_debug_page_get_breaks (self->page), self->breaks);
  hir_selection_set_debug (window->selection, self->pointer, ids, disabled);
}

void
hir_window_breaks_open (HirWindow *window)
{
  HirDebugging *self = hir_window_get_debugging (window);

  g_free (self->document);
  self->document = dup_document (window);
  if (self->document != NULL)
    hir_break_memory_restore (self->memory, self->document, self->breaks);
  else
    g_ptr_array_set_size (self->breaks, 0);
}

void
hir_window_breaks_bind (HirWindow *window)
{
  HirDebugging *self = hir_window_get_debugging (window);
  g_autoptr (GPtrArray) programs = dup_programs (window);

  hir_debug_breaks_bind (self->breaks,
                         &(HirBreakPrograms){ (HirContainer **) programs->pdata, programs->len });
  hir_window_breaks_show (window);
}

static void
tell (HirWindow *window, HirBreak *item)
{
  g_autofree char *line = hir_break_dup_line (item);

  item->is_pending = TRUE;
  hir_window_debug_send (window, line, item->key);
}

/* What is unbound would be refused. */
void
hir_window_breaks_tell (HirWindow *window)
{
  GPtrArray *breaks = hir_window_get_debugging (window)->breaks;

  for (guint i = 0; i < breaks->len; i++)
    if (((const HirBreak *) breaks->pdata[i])->why == NULL)
      tell (window, breaks->pdata[i]);
}

static void
tell_enabled (HirWindow *window, const HirBreak *item)
{
  g_autofree char *line =
      g_strdup_printf ("%s %u", item->is_disabled ? "disable" : "enable", item->number);

  hir_window_debug_send (window, line, 0);
}

void
hir_window_breaks_take (HirWindow *window, guint key, const HirDebugState *state)
{
  HirDebugging *self = hir_window_get_debugging (window);
  g_autoptr (GPtrArray) programs = dup_programs (window);
  HirBreak *item;
  gboolean was_taken = key != 0 && hir_debug_breaks_answer (self->breaks, key, state);
  gboolean is_off;

  item = key != 0 ? hir_debug_breaks_lookup (self->breaks, key) : NULL;
  is_off = item != NULL && item->is_disabled;
  hir_debug_breaks_take (self->breaks, state,
                         &(HirBreakPrograms){ (HirContainer **) programs->pdata, programs->len });
  if (was_taken && is_off)
    {
      item->is_disabled = TRUE;
      tell_enabled (window, item);
    }
  hir_window_breaks_show (window);
  keep (self);
}

/* Was set by hand: it is there, and told. */
static void
add (HirWindow *window, HirBreak *item)
{
  HirDebugging *self = hir_window_get_debugging (window);

  hir_debug_breaks_add (self->breaks, item);
  if (self->is_debugging)
    tell (window, item);
  hir_window_debug_show_panel (window);
  hir_window_breaks_show (window);
  keep (self);
}

static HirBreak *
make (HirWindow *window, const char *text, GError **error)
{
  g_autoptr (GPtrArray) programs = dup_programs (window);

  if (programs->len > 0 || hir_document_can_run (window->document) ||
      hir_window_get_debugging (window)->is_debugging)
    return hir_break_new (text,
                          &(HirBreakPrograms){ (HirContainer **) programs->pdata, programs->len },
                          error);
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "there is no host program to stop in; see what the passes say");
  return NULL;
}

static void delete (HirWindow *window, HirBreak *item)
{
  HirDebugging *self = hir_window_get_debugging (window);
  g_autofree char *line = g_strdup_printf ("delete %u", item->number);

  if (self->is_debugging && item->number > 0)
    {
      hir_window_debug_send (window, line, 0);
      return;
    }
  hir_debug_breaks_remove (self->breaks, item->key);
  hir_window_breaks_show (window);
  keep (self);
}

/* In the text of a recording's last snapshot. */
static gboolean
has_span (HirWindow *window, guint64 id)
{
  HirProgram *program = hir_selection_get_program (window->selection);
  const HirProgramView *view = program != NULL && program->views->len > 0
                                   ? program->views->pdata[program->views->len - 1]
                                   : NULL;

  for (guint i = 0; view != NULL && view->is_host && i < view->spans->len; i++)
    if (g_array_index (view->spans, HirSpan, i).is_expr &&
        g_array_index (view->spans, HirSpan, i).id == id)
      return TRUE;
  return FALSE;
}

static gboolean
is_instruction (HirWindow *window, guint64 id)
{
  g_autoptr (GPtrArray) programs = dup_programs (window);

  if (programs->len == 0)
    return id != 0 && has_span (window, id);
  for (guint i = 0; id != 0 && i < programs->len; i++)
    {
      g_autoptr (GPtrArray) numbers = hir_instruction_numbers (programs->pdata[i]);

      if (hir_instruction_find (numbers, id) > 0)
        return TRUE;
    }
  return FALSE;
}

static void
toggle (HirWindow *window, guint64 id)
{
  HirBreak *item = hir_debug_breaks_find (hir_window_get_debugging (window)->breaks, id);
  g_autofree char *text = g_strdup_printf ("@%016" G_GINT64_MODIFIER "x", id);

  if (item != NULL)
    {
      delete (window, item);
      return;
    }
  item = is_instruction (window, id) ? make (window, text, NULL) : NULL;
  if (item != NULL)
    add (window, item);
  else
    hir_window_toast (window, "Only an instruction of the host program can have a breakpoint");
}

void
hir_window_break (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  HirProgram *program = hir_selection_get_program (window->selection);
  GArray *ids;

  if (program == NULL || program->views->len == 0)
    return;
  ids = hir_selection_get_nodes_at (window->selection, program->views->len - 1);
  for (guint i = 0; i < ids->len; i++)
    if (is_instruction (window, g_array_index (ids, guint64, i)))
      {
        toggle (window, g_array_index (ids, guint64, i));
        return;
      }
  hir_window_toast (window, "Select an instruction of the host program first");
}

void
hir_window_break_at (GtkWidget *widget, const char *name, GVariant *parameter)
{
  toggle (HIR_WINDOW (widget), g_variant_get_uint64 (parameter));
}

/* The list says what is wrong, beside what was typed, which stays. */
static void
refuse (HirWindow *window, const GError *error)
{
  HirBreakList *list = hir_debug_page_get_breaks (hir_window_get_debugging (window)->page);

  hir_break_list_refuse (list, error->message, hir_error_get_pos (error).column);
}

static void
accept (HirWindow *window)
{
  hir_break_list_accept (hir_debug_page_get_breaks (hir_window_get_debugging (window)->page));
}

void
hir_window_break_add (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  g_autoptr (GError) error = NULL;
  HirBreak *item = make (window, g_variant_get_string (parameter, NULL), &error);

  if (item == NULL)
    {
      refuse (window, error);
      return;
    }
  accept (window);
  add (window, item);
}

void
hir_window_break_change (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  HirDebugging *self = hir_window_get_debugging (window);
  g_autoptr (GError) error = NULL;
  HirBreak *old, *item;
  const char *text;
  guint key;

  g_variant_get (parameter, "(u&s)", &key, &text);
  old = hir_debug_breaks_lookup (self->breaks, key);
  item = old != NULL ? make (window, text, &error) : NULL;
  if (error != NULL)
    refuse (window, error);
  if (item == NULL)
    return;
  accept (window);
  hir_debug_breaks_replace (self->breaks, key, item);
  if (self->is_debugging)
    {
      g_autofree char *line = g_strdup_printf ("delete %u", item->number);

      if (item->number > 0)
        hir_window_debug_send (window, line, 0);
      tell (window, item);
    }
  hir_window_breaks_show (window);
  keep (self);
}

void
hir_window_break_delete (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  HirBreak *item = hir_debug_breaks_lookup (hir_window_get_debugging (window)->breaks,
                                            g_variant_get_uint32 (parameter));

  if (item != NULL)
    delete (window, item);
}

void
hir_window_break_enable (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  HirDebugging *self = hir_window_get_debugging (window);
  gboolean is_enabled;
  HirBreak *item;
  guint key;

  g_variant_get (parameter, "(ub)", &key, &is_enabled);
  item = hir_debug_breaks_lookup (self->breaks, key);
  if (item == NULL || item->is_disabled == !is_enabled)
    return;
  item->is_disabled = !is_enabled;
  if (self->is_debugging && item->number > 0)
    tell_enabled (window, item);
  hir_window_breaks_show (window);
  keep (self);
}

void
hir_window_breaks_keep_for (HirWindow *window, const char *path)
{
  HirDebugging *self = hir_window_get_debugging (window);
  g_autofree char *document = g_canonicalize_filename (path, NULL);

  hir_break_memory_keep (self->memory, document, self->breaks);
}
