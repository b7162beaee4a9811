#include "window/window-axis.h"

#include "document/document-edit.h"
#include "graph/axis-menu.h"
#include "graph/split-dialog.h"
#include "program/program-dump.h"
#include "program/request-edit.h"
#include "script/edit-schedule.h"
#include "view/domain-tree.h"

static gint64
count_axes (const HirNodeInfo *info)
{
  gint64 n = 0;

  for (guint i = 0; i < info->facts->len; i++)
    n += g_str_has_prefix (g_array_index (info->facts, HirFact, i).name, "axis ");
  return n;
}

/* Returns the number of tensors that the same line creates, in a loop or a function that is called
 * repeatedly. */
static guint
count_made (const HirProgramView *view, const HirNodeInfo *info, const char *variable)
{
  GHashTableIter iter;
  gpointer value;
  guint n = 0;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const HirNodeInfo *other = value;

      n += other->pos.line == info->pos.line && other->pos.column == info->pos.column &&
           g_str_equal (other->kind, "TensorView") &&
           g_strcmp0 (hir_node_info_get_fact (other, "script variable"), variable) == 0;
    }
  return n;
}

static char *
describe (const HirScheduleEdit *edit, const char *variable, guint n_made)
{
  g_autofree char *many =
      n_made > 1 ? g_strdup_printf (" (%u tensors are made there)", n_made) : g_strdup ("");
  const char *name = hir_parallel_type_get_script_name (edit->type);

  switch (edit->kind)
    {
    case HIR_SCHEDULE_EDIT_OUTER_SPLIT:
    case HIR_SCHEDULE_EDIT_INNER_SPLIT:
      return g_strdup_printf ("%s, axis %" G_GINT64_FORMAT " split%s", variable, edit->axis, many);
    case HIR_SCHEDULE_EDIT_MERGE:
      return g_strdup_printf ("%s, axis %" G_GINT64_FORMAT " merged%s", variable, edit->axis, many);
    case HIR_SCHEDULE_EDIT_TO_FRONT:
      return g_strdup_printf ("%s, axis %" G_GINT64_FORMAT " to the front%s", variable, edit->axis,
                              many);
    case HIR_SCHEDULE_EDIT_PARALLELIZE:
    default:
      return g_strdup_printf ("%s, axis %" G_GINT64_FORMAT " %s%s", variable, edit->axis, name,
                              many);
    }
}

/* Returns whether the displayed program belongs to the current text. Otherwise its positions would
 * be wrong. */
static gboolean
can_edit (HirWindow *self)
{
  HirRequest *request = hir_document_get_edit (self->document);

  hir_script_text_flush (hir_text_pane_get_script (self->text));
  if (request == NULL || hir_program_is_dump (request->source))
    hir_window_toast (self, "Schedules can only be changed in a script");
  else if (hir_document_is_outdated (self->document))
    hir_window_toast (self, "Fix or undo the error in the script first");
  else if (hir_document_get_is_lowering (self->document))
    hir_window_toast (self, "The previous change is still being lowered");
  else
    return TRUE;
  return FALSE;
}

void
hir_window_edit_axis (HirWindow *self, GVariant *parameter, int argument)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirRequest *request;
  const HirNodeInfo *info;
  HirScriptTensor tensor = { 0 };
  HirScheduleEdit edit = { 0 };
  g_autoptr (HirScript) script = NULL;
  g_autoptr (HirRequest) changed = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *what = NULL;
  guint64 id;
  guint32 kind, axis;
  gint64 value;
  guint line;

  if (!can_edit (self))
    return;
  g_variant_get (parameter, "(tuux)", &id, &kind, &axis, &value);
  info = program != NULL ? hir_program_view_lookup (program->views->pdata[0], id) : NULL;
  if (info == NULL)
    return;
  request = hir_document_get_edit (self->document);
  tensor.function = program->request->function;
  tensor.variable = hir_node_info_get_fact (info, "script variable");
  tensor.pos = info->pos;
  tensor.n_axes = count_axes (info);
  edit.kind = (HirScheduleEditKind) kind;
  edit.axis = axis;
  edit.type = kind == HIR_SCHEDULE_EDIT_PARALLELIZE ? (HirParallelType) value : HIR_PARALLEL_SERIAL;
  edit.factor = value;
  script = hir_script_parse (request->source, NULL);
  text = hir_script_edit_schedule (script, &tensor, &edit, &line, &error);
  if (text == NULL)
    {
      hir_window_alert (self, "Cannot Change the Schedule", error->message);
      return;
    }
  if (g_str_equal (text, request->source->text))
    {
      hir_window_toast (self, "The schedule already has this setting");
      return;
    }
  changed = hir_request_with_text (request, NULL, text);
  what = describe (&edit, tensor.variable,
                   count_made (program->views->pdata[0], info, tensor.variable));
  hir_document_edit (self->document, changed, what);
  hir_script_text_go_to (hir_text_pane_get_script (self->text), line);
}

/* A split whose factor the dialog asks for. */
typedef struct
{
  HirWindow *window; /* borrowed; owns the dialog */
  guint64 id;
  guint32 kind, axis;
} Split;

static void
split_by (gint64 factor, gpointer user_data)
{
  const Split *split = user_data;

  g_autoptr (GVariant) target =
      g_variant_ref_sink (g_variant_new ("(tuux)", split->id, split->kind, split->axis, factor));

  hir_window_edit_axis (split->window, target, 0);
}

void
hir_window_split_axis (HirWindow *self, GVariant *parameter, int argument)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  const HirNodeInfo *info;
  Split *split;
  g_autofree char *what = NULL;
  guint64 id;
  guint32 kind, axis;

  if (!can_edit (self))
    return;
  g_variant_get (parameter, "(tuu)", &id, &kind, &axis);
  info = program != NULL ? hir_program_view_lookup (program->views->pdata[0], id) : NULL;
  if (info == NULL)
    return;
  split = g_new0 (Split, 1);
  *split = (Split){ self, id, kind, axis };
  what = g_strdup_printf ("%s, axis %u", hir_node_info_get_fact (info, "script variable"), axis);
  hir_split_dialog_present (GTK_WINDOW (self), what, kind == HIR_SCHEDULE_EDIT_OUTER_SPLIT,
                            split_by, split, g_free);
}

/* Opens the menu at the cursor, which is at the selected node. */
static void
popup_in_text (HirWindow *self)
{
  GtkTextView *text = hir_text_pane_get_text_view (self->text);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (text);
  GdkRectangle rect;
  GtkTextIter iter;
  int x, y;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  gtk_text_view_get_iter_location (text, &iter, &rect);
  gtk_text_view_buffer_to_window_coords (text, GTK_TEXT_WINDOW_WIDGET, rect.x, rect.y + rect.height,
                                         &x, &y);
  hir_axis_menu_popup (GTK_WIDGET (text), MAX (x, 0), MAX (y, 0), self->selection);
}

/* Opens the menu in the text if it has the focus, otherwise in the graph. */
void
hir_window_open_axis_menu (HirWindow *self, GVariant *parameter, int argument)
{
  const HirPicture *picture = hir_graph_view_get_picture (self->graph);
  guint step = hir_selection_get_step (self->selection);
  HirRect rect = { 24, 24, 0, 0 };

  if (gtk_widget_has_focus (GTK_WIDGET (hir_text_pane_get_text_view (self->text))))
    {
      popup_in_text (self);
      return;
    }
  for (guint i = 0; picture != NULL && i < picture->graph->nodes->len; i++)
    if (hir_selection_has_node_at (self->selection, step,
                                   g_array_index (picture->graph->nodes, HirGraphNode, i).id) &&
        hir_graph_view_get_node_rect (self->graph, i, &rect))
      break;
  hir_axis_menu_popup (GTK_WIDGET (self->graph), rect.x + rect.width / 2, rect.y + rect.height,
                       self->selection);
}

static void
on_graph_pressed (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirWindow *self = user_data;
  guint64 id = hir_graph_view_get_hovered (self->graph);

  gtk_widget_grab_focus (GTK_WIDGET (self->graph));
  if (id != 0)
    hir_selection_set_node (self->selection, id);
  if (id != 0)
    hir_axis_menu_popup (GTK_WIDGET (self->graph), x, y, self->selection);
}

void
hir_window_axis_connect (HirWindow *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_SECONDARY);
  g_signal_connect (click, "pressed", G_CALLBACK (on_graph_pressed), self);
  gtk_widget_add_controller (GTK_WIDGET (self->graph), GTK_EVENT_CONTROLLER (click));
}
