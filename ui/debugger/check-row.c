#include "debugger/check-row.h"

#include <string.h>

#include "analysis/sync-observed.h"
#include "base/links.h"
#include "base/names.h"

typedef struct
{
  guint64 node;
  HirTraceInstance pair[2];
  gboolean is_pair;
  guint track, event; /* G_MAXUINT: none */
  int change;         /* argument of hir_check_page_fix(); -1 if there is no fix */
} Row;

static void
row_free (gpointer data)
{
  Row *row = data;

  hir_trace_instance_clear (&row->pair[0]);
  hir_trace_instance_clear (&row->pair[1]);
  g_free (row);
}

/* Maximum number of lines below the sentence of a fault. */
/* All parts of a cycle matter; other faults are the same on all ranks. */
#define MAX_PLACES_OF_CYCLE 8
#define MAX_PLACES 3

static Row *
get_row (GtkWidget *row)
{
  return g_object_get_data (G_OBJECT (row), "hir-check-row");
}

/* @words (nullable): a link to @target. */
static GtkWidget *
add_link_label (
    GtkWidget *box, const char *text, const char *css_class, const char *words, const char *target)
{
  GtkWidget *label = gtk_label_new (NULL);

  hir_links_set_text (GTK_LABEL (label), text, words, target);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static GtkWidget *
add_label (GtkWidget *box, const char *text, const char *css_class)
{
  return add_link_label (box, text, css_class, NULL, NULL);
}

/* Adds a line for a position of a fault, with a link to its instruction. */
static void
add_place (GtkWidget *box, const HirSyncPlace *place)
{
  g_autofree char *text = hir_sync_place_dup_text (place);
  g_autofree char *label = place->expr != NULL ? hir_sync_dup_label (place->expr) : NULL;
  char target[] = "node/0123456789abcdef";

  if (place->expr != NULL)
    hir_id_to_hex (place->expr->node.id, target + strlen ("node/"));
  *text = g_ascii_toupper (*text);
  gtk_widget_add_css_class (add_link_label (box, text, "check-detail", label, target), "dim-label");
}

/* Creates a row. *@words takes more lines, *@side a button. */
static GtkWidget *
row_new (const char *kind, const char *sentence, GtkWidget **words, GtkWidget **side)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *tag = gtk_label_new (kind);
  Row *data = g_new0 (Row, 1);
  g_autofree char *css_class =
      g_strconcat ("check-",
                   g_str_equal (kind, "redundant") || g_str_equal (kind, "note") ||
                           g_str_equal (kind, "missing")
                       ? kind
                   : g_str_equal (kind, "held") ? "note"
                                                : "mismatch",
                   NULL);

  data->change = -1;
  data->track = G_MAXUINT;
  g_object_set_data_full (G_OBJECT (row), "hir-check-row", data, row_free);
  *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);
  gtk_widget_add_css_class (tag, "check-tag");
  gtk_widget_add_css_class (tag, css_class);
  gtk_widget_set_valign (tag, GTK_ALIGN_START);
  gtk_widget_add_css_class (row, "check-row");
  gtk_widget_set_hexpand (*words, TRUE);
  gtk_box_append (GTK_BOX (box), tag);
  gtk_box_append (GTK_BOX (box), *words);
  *side = box;
  add_label (*words, sentence, "check-sentence");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
  return row;
}

GtkWidget *
hir_check_row_new_difference (const HirJoin *join, guint index)
{
  const HirJoinFinding *finding = g_ptr_array_index (join->findings, index);
  g_autofree char *sentence = g_strdup (finding->text);
  GString *place = g_string_new (NULL);
  GtkWidget *words, *side, *row;

  *sentence = g_ascii_toupper (*sentence);
  g_string_append_printf (place, "Rank %d, repetition %u", finding->rank, finding->repetition);
  if (finding->iteration >= 0)
    g_string_append_printf (place, ", iteration %d", finding->iteration);
  if (finding->n > 1)
    g_string_append_printf (place, "; %u times on this rank", finding->n);
  row = row_new ("difference", sentence, &words, &side);
  gtk_widget_add_css_class (add_label (words, place->str, "check-detail"), "dim-label");
  g_string_free (place, TRUE);
  get_row (row)->node = finding->expr != NULL ? finding->expr->node.id : 0;
  get_row (row)->track = finding->track;
  get_row (row)->event = finding->index;
  return row;
}

/* Returns TRUE if the command reports the fault at @place. */
static gboolean
is_at (const HirSyncPlace *place, HirPos pos)
{
  return place->expr->node.pos.line == pos.line && place->expr->node.pos.column == pos.column;
}

GtkWidget *
hir_check_row_new_fault (const HirSyncFault *fault)
{
  GtkWidget *words, *side;
  GtkWidget *row =
      row_new (hir_sync_fault_kind_get_name (fault->kind), fault->message, &words, &side);
  guint max = fault->kind == HIR_SYNC_FAULT_DEADLOCK ? MAX_PLACES_OF_CYCLE : MAX_PLACES;

  for (guint i = 0; i < fault->places->len && i < max; i++)
    {
      const HirSyncPlace *place = &g_array_index (fault->places, HirSyncPlace, i);

      add_place (words, place);
      if (place->expr != NULL && (get_row (row)->node == 0 || is_at (place, fault->pos)))
        get_row (row)->node = place->expr->node.id;
    }
  if (fault->n > max && fault->places->len > max)
    {
      g_autofree char *more =
          g_strdup_printf ("and %u more; %u times in total", fault->places->len - max, fault->n);

      gtk_widget_add_css_class (add_label (words, more, "check-detail"), "dim-label");
    }
  return row;
}

static void
add_button (GtkWidget *row, GtkWidget *side, int change, const char *label, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  get_row (row)->change = change;
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  hir_names_set_tooltip (button, tooltip);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.check-fix");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "i", change);
  gtk_box_append (GTK_BOX (side), button);
}

/* The caller of the program has no instruction: returns the id of the input or output tensor
 * instead. */
static guint64
get_caller_id (const HirSyncCheck *check, const HirSyncStep *step, guint access)
{
  const HirContainer *program = g_ptr_array_index (check->trace->programs, (guint) step->rank);
  int tensor = hir_sync_trace_get_access (check->trace, access)->tensor;
  gboolean is_write = hir_sync_trace_get_access (check->trace, access)->is_write;
  /* The caller writes inputs, before and after the program, and reads outputs. */
  const HirVec *vals = is_write ? &program->inputs : &program->outputs;

  for (guint i = 0; i < vals->len; i++)
    if (((const HirVal *) vals->items[i])->name == tensor)
      return ((const HirVal *) vals->items[i])->node.id;
  return 0;
}

static void
set_instance (HirTraceInstance *instance, const HirSyncCheck *check, guint index, guint access)
{
  const HirSyncStep *step = hir_sync_trace_get_step (check->trace, index);
  const HirSyncQueue *queue = hir_sync_trace_get_queue (check->trace, step->queue);
  const HirTraceInstance from = {
    .instruction = step->expr != NULL ? step->expr->node.id : get_caller_id (check, step, access),
    .rank = step->rank,
    .iteration = step->iteration,
    .stream = queue->name,
    .is_caller = step->expr == NULL,
  };

  hir_trace_instance_set (instance, &from);
}

GtkWidget *
hir_check_row_new_missing (const HirSyncCheck *check, guint index)
{
  const HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, index);
  const HirSyncAccess *a = hir_sync_trace_get_access (check->trace, missing->first_access);
  const HirSyncAccess *b = hir_sync_trace_get_access (check->trace, missing->second_access);
  g_autofree char *sentence = hir_sync_check_dup_sentence (check, missing);
  g_autofree char *full =
      g_strdup_printf ("%s (%s)", sentence, hir_hazard_get_name (missing->hazard));
  g_autofree char *first = hir_sync_check_dup_step (check, missing->first);
  g_autofree char *then = hir_sync_check_dup_step (check, missing->second);
  g_autofree char *steps =
      g_strdup_printf ("First %s: %s\nThen %s: %s; %u time%s on %u rank%s",
                       a->is_write ? "writes" : "reads", first, b->is_write ? "writes" : "reads",
                       then, missing->n, missing->n == 1 ? "" : "s", missing->n_ranks,
                       missing->n_ranks == 1 ? "" : "s");
  g_autofree char *observation = hir_sync_missing_dup_observation (missing);
  g_autofree char *cause = hir_sync_check_dup_cause (check, missing);
  g_autofree char *suggestion = g_strdup (missing->suggestion);
  GtkWidget *words, *side;
  GtkWidget *row = row_new ("missing", full, &words, &side);
  Row *data = get_row (row);

  *suggestion = g_ascii_toupper (*suggestion);
  set_instance (&data->pair[0], check, missing->first, missing->first_access);
  set_instance (&data->pair[1], check, missing->second, missing->second_access);
  data->is_pair = TRUE;
  /* As the command does: the second instruction, unless that is the caller. */
  data->node = data->pair[data->pair[1].is_caller ? 0 : 1].instruction;
  gtk_widget_add_css_class (add_label (words, steps, "check-detail"), "dim-label");
  if (observation != NULL)
    {
      *observation = g_ascii_toupper (*observation);
      add_label (words, observation, "check-observed");
    }
  if (cause != NULL)
    {
      *cause = g_ascii_toupper (*cause);
      add_label (words, cause, "check-detail");
    }
  add_label (words, suggestion, "check-detail");
  if (missing->has_repair)
    add_button (row, side, (int) index, "Apply and Run",
                "Change the program in this way and run it; Undo restores it");
  return row;
}

GtkWidget *
hir_check_row_new_use (const HirSyncCheck *check, guint index)
{
  const HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, index);
  g_autofree char *sentence = hir_sync_check_dup_use (check, use);
  GtkWidget *row, *words, *side;

  if (sentence == NULL)
    return NULL;
  row = row_new (use->is_redundant ? "redundant" : "note", sentence, &words, &side);
  get_row (row)->node = use->expr->node.id;
  if (use->is_redundant && use->expr->kind == HIR_EXPR_WAIT)
    gtk_widget_add_css_class (add_label (words, "A run still requires one Wait per communication",
                                         "check-detail"),
                              "dim-label");
  else if (use->kept != NULL)
    {
      g_autofree char *kept = g_strdup_printf ("Cannot be removed: %s", use->kept);

      add_label (words, kept, "check-detail");
    }
  else if (use->is_redundant)
    add_button (row, side, (int) (check->missing->len + index), "Remove and Run",
                "Remove this line from the program and run it; Undo restores it");
  return row;
}

guint64
hir_check_row_get_node (GtkWidget *row)
{
  return get_row (row)->node;
}

gboolean
hir_check_row_get_event (GtkWidget *row, guint *track, guint *index)
{
  *track = get_row (row)->track;
  *index = get_row (row)->event;
  return get_row (row)->track != G_MAXUINT && get_row (row)->event != G_MAXUINT;
}

const HirTraceInstance *
hir_check_row_get_pair (GtkWidget *row)
{
  return get_row (row)->is_pair ? get_row (row)->pair : NULL;
}

gboolean
hir_check_row_get_change (GtkWidget *row, guint *index)
{
  *index = (guint) MAX (get_row (row)->change, 0);
  return get_row (row)->change >= 0;
}
