/* Breakpoints of the window: set in the gutter, in the graph, by key or by text, and stored per
 * document, with the watched expressions. */
#include "debugger/break-memory.h"
#include "selection/instances.h"
#include "window/debug-controller-private.h"

/* Returns all host programs: HirContainer* borrowed from the document, that of rank 0 first. */
static GPtrArray *
dup_programs (HirDebugController *self)
{
  GPtrArray *programs = g_ptr_array_new ();
  HirRankPrograms *ranks = hir_document_get_ranks (self->window->document);
  HirProgram *program = hir_document_get_program (self->window->document);
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

/* Returns a key that identifies the document, or NULL if the document has no file. */
static char *
dup_document (HirDebugController *self)
{
  HirRequest *request = hir_document_get_request (self->window->document);
  const char *recording = hir_document_get_recording_path (self->window->document);

  if (recording != NULL)
    return g_canonicalize_filename (recording, NULL);
  if (request == NULL)
    return NULL;
  return g_strdup_printf ("%s::%s",
                          self->window->opening_path != NULL ? self->window->opening_path
                                                             : request->source->path,
                          request->function != NULL ? request->function : "");
}

void
hir_debug_breakpoints_show (HirDebugController *self)
{
  g_autoptr (GArray) ids = hir_debug_breaks_dup_ids (self->breaks, FALSE);
  g_autoptr (GArray) disabled = hir_debug_breaks_dup_ids (self->breaks, TRUE);

  hir_break_list_set (hir_debug_page_get_breaks (self->page), self->breaks);
  hir_selection_set_debug (self->window->selection, self->pointer, ids, disabled);
}

void
hir_debug_breakpoints_open (HirDebugController *self)
{
  g_free (self->document);
  self->document = dup_document (self);
  g_ptr_array_set_size (self->breaks, 0);
  hir_debug_watches_clear (self->watches);
  if (self->document != NULL)
    hir_break_memory_restore (self->memory, self->document, self->breaks, self->watches);
}

void
hir_debug_breakpoints_bind (HirDebugController *self)
{
  g_autoptr (GPtrArray) programs = dup_programs (self);

  hir_debug_breaks_bind (self->breaks,
                         &(HirBreakPrograms){ (HirContainer **) programs->pdata, programs->len });
  hir_debug_breakpoints_show (self);
}

static void
send_break (HirDebugController *self, HirBreak *item)
{
  g_autofree char *line = hir_break_dup_line (item);

  item->is_pending = TRUE;
  hir_debug_controller_send (self, line, item->key);
}

/* Skips unbound breakpoints, which the program would reject. */
void
hir_debug_breakpoints_send (HirDebugController *self)
{
  GPtrArray *breaks = self->breaks;

  for (guint i = 0; i < breaks->len; i++)
    if (((const HirBreak *) breaks->pdata[i])->why == NULL)
      send_break (self, breaks->pdata[i]);
}

static void
send_enabled (HirDebugController *self, const HirBreak *item)
{
  g_autofree char *line =
      g_strdup_printf ("%s %u", item->is_disabled ? "disable" : "enable", item->number);

  hir_debug_controller_send (self, line, 0);
}

void
hir_debug_breakpoints_take (HirDebugController *self, guint key, const HirDebugState *state)
{
  g_autoptr (GPtrArray) programs = dup_programs (self);
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
      send_enabled (self, item);
    }
  hir_debug_breakpoints_show (self);
  hir_debug_controller_store (self);
}

/* Adds a breakpoint that the user has set. */
static void
add (HirDebugController *self, HirBreak *item)
{
  hir_debug_breaks_add (self->breaks, item);
  if (self->is_debugging)
    send_break (self, item);
  hir_debug_controller_show_panel (self);
  hir_debug_breakpoints_show (self);
  hir_debug_controller_store (self);
}

static HirBreak *
make (HirDebugController *self, const char *text, GError **error)
{
  g_autoptr (GPtrArray) programs = dup_programs (self);

  if (programs->len > 0 || hir_document_can_run (self->window->document) || self->is_debugging)
    return hir_break_new (text,
                          &(HirBreakPrograms){ (HirContainer **) programs->pdata, programs->len },
                          error);
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "no host program to set a breakpoint in; see the list of passes");
  return NULL;
}

static void delete (HirDebugController *self, HirBreak *item)
{
  g_autofree char *line = g_strdup_printf ("delete %u", item->number);

  if (self->is_debugging && item->number > 0)
    {
      hir_debug_controller_send (self, line, 0);
      return;
    }
  hir_debug_breaks_remove (self->breaks, item->key);
  hir_debug_breakpoints_show (self);
  hir_debug_controller_store (self);
}

/* Returns whether @id is an instruction in the text of the last snapshot, for recordings without a
 * program. */
static gboolean
has_span (HirDebugController *self, guint64 id)
{
  HirProgram *program = hir_selection_get_program (self->window->selection);
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
is_instruction (HirDebugController *self, guint64 id)
{
  g_autoptr (GPtrArray) programs = dup_programs (self);

  if (programs->len == 0)
    return id != 0 && has_span (self, id);
  for (guint i = 0; id != 0 && i < programs->len; i++)
    {
      g_autoptr (GPtrArray) numbers = hir_instruction_numbers (programs->pdata[i]);

      if (hir_instruction_find (numbers, id) > 0)
        return TRUE;
    }
  return FALSE;
}

static void
toggle (HirDebugController *self, guint64 id)
{
  HirBreak *item = hir_debug_breaks_find (self->breaks, id);
  g_autofree char *text = g_strdup_printf ("@%016" G_GINT64_MODIFIER "x", id);

  if (item != NULL)
    {
      delete (self, item);
      return;
    }
  item = is_instruction (self, id) ? make (self, text, NULL) : NULL;
  if (item != NULL)
    add (self, item);
  else
    hir_window_toast (self->window,
                      "Breakpoints can only be set on instructions of the host program");
}

void
hir_window_break (HirWindow *window, GVariant *parameter, int argument)
{
  HirProgram *program = hir_selection_get_program (window->selection);
  g_autoptr (GArray) ids = NULL;

  if (program == NULL || program->views->len == 0)
    return;
  ids = hir_instances_dup_instructions (window->selection);
  for (guint i = 0; i < ids->len; i++)
    if (is_instruction (window->debugger, g_array_index (ids, guint64, i)))
      {
        toggle (window->debugger, g_array_index (ids, guint64, i));
        return;
      }
  hir_window_toast (window, "Select an instruction of the host program first");
}

void
hir_window_break_at (HirWindow *window, GVariant *parameter, int argument)
{
  toggle (window->debugger, g_variant_get_uint64 (parameter));
}

/* Shows the error next to the entry and keeps the text of the entry. */
static void
show_error (HirDebugController *self, const GError *error)
{
  HirBreakList *list = hir_debug_page_get_breaks (self->page);

  hir_break_list_refuse (list, error->message, hir_error_get_pos (error).column);
}

static void
clear_error (HirDebugController *self)
{
  hir_break_list_accept (hir_debug_page_get_breaks (self->page));
}

void
hir_window_break_add (HirWindow *window, GVariant *parameter, int argument)
{
  g_autoptr (GError) error = NULL;
  HirBreak *item = make (window->debugger, g_variant_get_string (parameter, NULL), &error);

  if (item == NULL)
    {
      show_error (window->debugger, error);
      return;
    }
  clear_error (window->debugger);
  add (window->debugger, item);
}

void
hir_window_break_change (HirWindow *window, GVariant *parameter, int argument)
{
  HirDebugController *self = window->debugger;
  g_autoptr (GError) error = NULL;
  HirBreak *old, *item;
  const char *text;
  guint key;

  g_variant_get (parameter, "(u&s)", &key, &text);
  old = hir_debug_breaks_lookup (self->breaks, key);
  item = old != NULL ? make (self, text, &error) : NULL;
  if (error != NULL)
    show_error (self, error);
  if (item == NULL)
    return;
  clear_error (self);
  hir_debug_breaks_replace (self->breaks, key, item);
  if (self->is_debugging)
    {
      g_autofree char *line = g_strdup_printf ("delete %u", item->number);

      if (item->number > 0)
        hir_debug_controller_send (self, line, 0);
      send_break (self, item);
    }
  hir_debug_breakpoints_show (self);
  hir_debug_controller_store (self);
}

void
hir_window_break_delete (HirWindow *window, GVariant *parameter, int argument)
{
  HirBreak *item =
      hir_debug_breaks_lookup (window->debugger->breaks, g_variant_get_uint32 (parameter));

  if (item != NULL)
    delete (window->debugger, item);
}

void
hir_window_break_enable (HirWindow *window, GVariant *parameter, int argument)
{
  HirDebugController *self = window->debugger;
  gboolean is_enabled;
  HirBreak *item;
  guint key;

  g_variant_get (parameter, "(ub)", &key, &is_enabled);
  item = hir_debug_breaks_lookup (self->breaks, key);
  if (item == NULL || item->is_disabled == !is_enabled)
    return;
  item->is_disabled = !is_enabled;
  if (self->is_debugging && item->number > 0)
    send_enabled (self, item);
  hir_debug_breakpoints_show (self);
  hir_debug_controller_store (self);
}

void
hir_debug_breakpoints_store_for (HirDebugController *self, const char *path)
{
  g_autofree char *document = g_canonicalize_filename (path, NULL);

  hir_break_memory_keep (self->memory, document, self->breaks, self->watches);
}
