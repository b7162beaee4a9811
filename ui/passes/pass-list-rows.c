#include "passes/pass-list-rows.h"

#include "base/control-words.h"
#include "program/program-dump.h"
#include "program/program-effect.h"

/* The program that the rows describe. All members except the pipeline are borrowed. */
typedef struct
{
  const HirProgram *program; /* nullable: the displayed program */
  HirProgram *before;        /* nullable: the program before the last change */
  HirProgram *rejected;      /* nullable: result of the last change if that failed */
  HirRequest *request;       /* NULL: no row has a switch */
  HirPipeline *pipeline;     /* of request; nullable */
  gboolean is_of_run;        /* request is that of an earlier run, which cannot be changed */
} Passes;

static void
passes_clear (Passes *passes)
{
  g_clear_pointer (&passes->pipeline, hir_pipeline_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Passes, passes_clear)

static Passes
get_passes (HirSelection *selection, HirDocument *document)
{
  Passes passes = {
    .program = hir_selection_get_program (selection),
    .before = hir_document_get_before (document),
    .rejected = hir_document_get_rejected (document),
    .request = hir_document_get_edit (document),
  };

  passes.is_of_run = passes.request != NULL && hir_document_shows_run (document) &&
                     passes.program != NULL && passes.program->request != NULL;
  if (passes.is_of_run)
    passes.request = passes.program->request;
  if (passes.request != NULL && hir_program_is_dump (passes.request->source))
    passes.request = NULL;
  if (passes.request != NULL)
    passes.pipeline = hir_request_create_pipeline (passes.request, NULL);
  return passes;
}

/* Returns whether all passes of the pass table have rows. Otherwise only snapshots have rows: a
 * recording can contain snapshots of passes that do not exist any more. */
static gboolean
has_table (const Passes *passes)
{
  if (passes->pipeline == NULL || passes->program == NULL)
    return FALSE;
  for (guint i = 1; i < passes->program->views->len; i++)
    if (hir_pass_lookup (passes->request->pipeline,
                         ((HirProgramView *) passes->program->views->pdata[i])->pass_name) == NULL)
      return FALSE;
  return TRUE;
}

/* Returns the names of the rows, from top to bottom. Rows from @first_pass on belong to passes. */
static GPtrArray *
dup_titles (const Passes *passes, guint *first_pass)
{
  GPtrArray *titles = g_ptr_array_new_with_free_func (g_free);
  const GPtrArray *views = passes->program != NULL ? passes->program->views : NULL;

  *first_pass = G_MAXUINT;
  if (has_table (passes))
    {
      if (views->len > 0)
        g_ptr_array_add (titles, g_strdup (((HirProgramView *) views->pdata[0])->pass_name));
      *first_pass = titles->len;
      for (const HirPass *const *pass = hir_pass_get_table (passes->request->pipeline);
           *pass != NULL; pass++)
        g_ptr_array_add (titles, g_strdup ((*pass)->name));
      return titles;
    }
  for (guint i = 0; views != NULL && i < views->len; i++)
    g_ptr_array_add (titles, g_strdup (((HirProgramView *) views->pdata[i])->pass_name));
  if (passes->program != NULL && passes->program->failed_pass != NULL)
    g_ptr_array_add (titles, g_strdup (passes->program->failed_pass));
  return titles;
}

gboolean
hir_pass_list_has_rows (GtkListBox *list, HirSelection *selection, HirDocument *document)
{
  g_auto (Passes) passes = get_passes (selection, document);
  guint first_pass;
  g_autoptr (GPtrArray) titles = dup_titles (&passes, &first_pass);

  if (gtk_list_box_get_row_at_index (list, (int) titles->len) != NULL || titles->len == 0)
    return FALSE;
  for (guint i = 0; i < titles->len; i++)
    {
      GtkWidget *row = (GtkWidget *) gtk_list_box_get_row_at_index (list, (int) i);

      if (row == NULL || !g_str_equal (hir_pass_row_get_title (row), titles->pdata[i]) ||
          (hir_pass_row_get_pass (row) != NULL) != (i >= first_pass))
        return FALSE;
    }
  return TRUE;
}

void
hir_pass_list_make_rows (GtkListBox *list, HirSelection *selection, HirDocument *document)
{
  g_auto (Passes) passes = get_passes (selection, document);
  guint first_pass;
  g_autoptr (GPtrArray) titles = dup_titles (&passes, &first_pass);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (list))) != NULL)
    gtk_list_box_remove (list, child);
  for (guint i = 0; i < titles->len; i++)
    gtk_list_box_append (list, hir_pass_row_new (titles->pdata[i],
                                                 i >= first_pass
                                                     ? hir_pass_lookup (passes.request->pipeline,
                                                                        titles->pdata[i])
                                                     : NULL));
}

static void
add_part (GPtrArray *parts, const char *format, guint n)
{
  if (n > 0)
    g_ptr_array_add (parts, g_strdup_printf (format, n));
}

/* Returns a text such as "3 tensors, 2 ops". */
static char *
describe_source (const HirProgramView *view)
{
  guint n_tensors = 0, n_exprs = 0;
  GHashTableIter iter;
  gpointer info;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &info))
    {
      if (((HirNodeInfo *) info)->is_expr)
        n_exprs++;
      else if (g_str_equal (((HirNodeInfo *) info)->kind, "TensorView"))
        n_tensors++;
    }
  return g_strdup_printf ("%u tensor%s, %u op%s", n_tensors, n_tensors == 1 ? "" : "s", n_exprs,
                          n_exprs == 1 ? "" : "s");
}

/* Returns the effect of a pass in one line, such as "+9, 3 changed, 2 moved" or "no change". */
static char *
describe (const GPtrArray *views, guint step)
{
  const HirProgramView *view = views->pdata[step];
  g_autoptr (GPtrArray) parts = NULL;

  if (step == 0)
    return describe_source (view);
  if (!view->changed)
    return g_strdup ("no change");
  parts = g_ptr_array_new_with_free_func (g_free);
  add_part (parts, "+%u", view->n_created);
  add_part (parts, "\xe2\x88\x92%u", view->n_removed);
  add_part (parts, "%u changed", view->n_changed);
  add_part (parts, "%u moved", hir_program_view_count_moved (views->pdata[step - 1], view));
  g_ptr_array_add (parts, NULL);
  return parts->len > 1 ? g_strjoinv (", ", (char **) parts->pdata) : g_strdup ("changed");
}

static guint
count_set (const Passes *passes, const HirPass *pass)
{
  guint n = 0;

  for (const HirPassOption *option = pass->options; option != NULL && option->name != NULL;
       option++)
    n += g_strcmp0 (hir_pipeline_get_option (passes->pipeline, pass->name, option->name),
                    option->default_value) != 0;
  return n;
}

/* Returns where the pass @title failed, or NULL if it did not fail. The message is at the line of
 * the script, if it has one. */
static char *
dup_error (const Passes *passes, const char *title)
{
  const HirProgram *failed = passes->rejected != NULL ? passes->rejected : passes->program;

  if (failed == NULL || g_strcmp0 (failed->failed_pass, title) != 0)
    return NULL;
  if (failed->error == NULL)
    return g_strdup ("failed");
  if (hir_error_get_pos (failed->error).line > 0)
    return g_strdup_printf ("failed at line %u", hir_error_get_pos (failed->error).line);
  return hir_control_words_dup (failed->error->message);
}

/* Both pipelines have passes of the same names with different rules. */
static gboolean
is_of_one_pipeline (const HirProgram *before /* nullable */, const HirProgram *program)
{
  return before != NULL && (before->request == NULL || program->request == NULL ||
                            before->request->pipeline == program->request->pipeline);
}

/* Returns the state of the row @title. *@note owns the text that state.note borrows. */
static HirPassRowState
describe_row (const Passes *passes, const char *title, const HirPass *pass, char **note)
{
  HirPassRowState state = { .step = hir_program_find_view (passes->program, title),
                            .duration_ns = -1 };
  g_autofree char *error = dup_error (passes, title);
  const GPtrArray *views = passes->program->views;

  if (pass != NULL)
    {
      state.is_enabled = hir_pipeline_get_enabled (passes->pipeline, title);
      state.n_set = count_set (passes, pass);
    }
  if (error != NULL)
    {
      state.kind = HIR_PASS_ROW_FAILED;
      *note = g_steal_pointer (&error);
    }
  else if (state.step >= 0)
    {
      const HirProgramView *view = views->pdata[state.step];

      state.kind = state.step == 0 ? HIR_PASS_ROW_SOURCE
                   : view->changed ? HIR_PASS_ROW_CHANGED
                                   : HIR_PASS_ROW_UNCHANGED;
      state.duration_ns = state.step > 0 ? view->duration_ns : -1;
      state.differs =
          is_of_one_pipeline (passes->before, passes->program) &&
          hir_program_step_differs (passes->before, passes->program, (guint) state.step);
      *note = describe (views, (guint) state.step);
    }
  else
    {
      state.kind = state.is_enabled ? HIR_PASS_ROW_NOT_REACHED : HIR_PASS_ROW_OFF;
      *note = g_strdup (state.is_enabled ? "not reached" : "off");
    }
  state.note = *note;
  return state;
}

void
hir_pass_list_update_rows (GtkListBox *list, HirSelection *selection, HirDocument *document)
{
  g_auto (Passes) passes = get_passes (selection, document);
  GtkWidget *row;

  if (passes.program == NULL)
    return;
  for (int i = 0; (row = (GtkWidget *) gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    {
      g_autofree char *note = NULL;
      HirPassRowState state =
          describe_row (&passes, hir_pass_row_get_title (row), hir_pass_row_get_pass (row), &note);

      hir_pass_row_set (row, &state, passes.is_of_run ? NULL : passes.request);
    }
}
