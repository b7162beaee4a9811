/* Named marks of the timeline, stored with the document. */
#include "config.h"
#include "document/document-edit.h"
#include "draw/timeline/timeline-marks.h"
#include "timeline/timeline-private.h"
#include "trace/duration.h"
#include "trace/recording/recording-note.h"

#define PREFIX "mark-"
#define MAX_NAME 200 /* bytes of a stored name */

static void
mark_clear (gpointer data)
{
  g_free (((HirTimelineMark *) data)->name);
}

static int
compare_marks (gconstpointer a, gconstpointer b)
{
  const HirTimelineMark *x = a, *y = b;

  return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static gint64
get_zero (HirTimelineView *self)
{
  gint64 zero_ns, end_ns;

  hir_trace_get_span (self->trace, &zero_ns, &end_ns);
  return zero_ns;
}

static GArray *
marks_new (void)
{
  GArray *marks = g_array_new (FALSE, FALSE, sizeof (HirTimelineMark));

  g_array_set_clear_func (marks, mark_clear);
  return marks;
}

void
hir_timeline_create_marks (HirTimelineView *self)
{
  self->marks = marks_new ();
  self->scene_marks = g_array_new (FALSE, FALSE, sizeof (HirTimelineMark));
  self->mark_memory = hir_document_memory_new ("marks.ini");
  hir_document_memory_set_note (self->mark_memory, HIR_NOTE_MARKS);
}

/* Stores the times relative to the start of the trace, which is the same in every run. */
static void
keep_for (HirTimelineView *self, const GArray *marks, const char *document)
{
  g_autofree char *group = hir_document_memory_dup_group (document);
  GKeyFile *file = hir_document_memory_get_file (self->mark_memory);

  g_key_file_remove_group (file, group, NULL);
  for (guint i = 0; i < marks->len; i++)
    {
      const HirTimelineMark *mark = &g_array_index (marks, HirTimelineMark, i);
      g_autofree char *key = g_strdup_printf (PREFIX "%u", i + 1);
      g_autofree char *time = g_strdup_printf ("%" G_GINT64_FORMAT, mark->time_ns);

      g_key_file_set_string_list (file, group, key, (const char *const[]){ time, mark->name }, 2);
    }
  hir_document_memory_keep (self->mark_memory, document);
}

/* Computes the times of the trace. */
static void
place_marks (HirTimelineView *self)
{
  g_array_set_size (self->scene_marks, 0);
  for (guint i = 0; self->trace != NULL && i < self->marks->len; i++)
    {
      HirTimelineMark mark = g_array_index (self->marks, HirTimelineMark, i);

      mark.time_ns += get_zero (self);
      g_array_append_val (self->scene_marks, mark);
    }
}

static void
changed (HirTimelineView *self)
{
  place_marks (self);
  if (self->mark_document != NULL)
    keep_for (self, self->marks, self->mark_document);
  g_signal_emit_by_name (self, "marks-changed");
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Replaces the content of @marks by the stored marks of @document. */
static void
read_marks (HirTimelineView *self, GArray *marks, const char *document)
{
  g_autofree char *group = NULL;
  g_autoptr (GKeyFile) file = hir_document_memory_dup_data (self->mark_memory, document, &group);
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);

  g_array_set_size (marks, 0);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_key_file_get_string_list (file, group, keys[i], NULL, NULL);
      HirTimelineMark mark;

      if (!g_str_has_prefix (keys[i], PREFIX) || parts == NULL || g_strv_length (parts) != 2 ||
          !g_ascii_string_to_signed (parts[0], 10, G_MININT64 / 4, G_MAXINT64 / 4, &mark.time_ns,
                                     NULL))
        continue;
      mark.name = g_strndup (parts[1], MAX_NAME);
      g_array_append_val (marks, mark);
    }
  g_array_sort (marks, compare_marks);
}

void
hir_timeline_restore_marks (HirTimelineView *self)
{
  /* A recording is the document itself, even if it contains a program. */
  g_autofree char *document = self->document != NULL
                                  ? g_canonicalize_filename (self->document, NULL)
                                  : hir_timeline_dup_document (self);

  if (self->trace == NULL || g_strcmp0 (document, self->mark_document) == 0)
    {
      place_marks (self);
      return;
    }
  g_free (self->mark_document);
  self->mark_document = g_steal_pointer (&document);
  read_marks (self, self->marks, self->mark_document);
  place_marks (self);
  g_signal_emit_by_name (self, "marks-changed");
}

void
hir_timeline_view_store_marks_for (HirTimelineView *self, const char *path)
{
  g_autofree char *document = g_canonicalize_filename (path, NULL);

  keep_for (self, self->marks, document);
}

const GArray *
hir_timeline_view_get_marks (HirTimelineView *self)
{
  return self->marks;
}

#if HIR_TESTING
gboolean
hir_timeline_view_get_mark_place (HirTimelineView *self, guint i, double *x, double *y)
{
  HirTimelineScene scene;

  if (self->rows == NULL)
    return FALSE;
  hir_timeline_fill_scene (self, &scene);
  *x = hir_timeline_scene_get_x (&scene,
                                 g_array_index (self->scene_marks, HirTimelineMark, i).time_ns) +
       6;
  *y = HIR_TIMELINE_RULER_HEIGHT - 6;
  if (hir_timeline_marks_find (&scene, *x, *y) < 0)
    *x -= 12;
  return *x >= self->header_width + 6 && *x < scene.width;
}
#endif

/* Inserts @mark, whose name is taken, and returns its index. */
static guint
insert_mark (GArray *marks, HirTimelineMark mark)
{
  guint i = 0;

  while (i < marks->len && g_array_index (marks, HirTimelineMark, i).time_ns <= mark.time_ns)
    i++;
  g_array_insert_val (marks, i, mark);
  return i;
}

/* Returns the time of a new mark, and sets *@where to its place in words. */
static gint64
choose_time (HirTimelineView *self, const char **where)
{
  gint64 start_ns = self->start_ns, end_ns = self->end_ns;
  guint track = 0, index = 0;
  gboolean has_event = hir_selection_get_event (self->selection, &track, &index);
  gboolean is_over_event =
      has_event && self->has_hover && self->hovered_track == track && self->hovered_index == index;

  if (self->has_pointer && self->pointer_x >= self->header_width && !is_over_event)
    {
      *where = "the pointer";
      return hir_timeline_get_snapped (self, self->pointer_x, self->pointer_y);
    }
  if (has_event)
    {
      *where = "the start of the selected event";
      hir_trace_get_interval (self->trace, track, index, &start_ns, &end_ns);
      return start_ns;
    }
  if (hir_selection_get_range (self->selection, &start_ns, &end_ns))
    {
      *where = "the start of the range";
      return start_ns;
    }
  *where = "the middle of the view";
  return self->start_ns + (self->end_ns - self->start_ns) / 2;
}

int
hir_timeline_view_add_mark (HirTimelineView *self, char **message)
{
  HirTimelineMark mark = { 0 };
  g_autofree char *time = NULL;
  const char *where;
  int i;

  if (self->rows == NULL)
    {
      *message = g_strdup ("No recording to mark");
      return -1;
    }
  mark.time_ns = choose_time (self, &where) - get_zero (self);
  mark.name = g_strdup_printf ("Mark %u", self->marks->len + 1);
  time = hir_format_duration (mark.time_ns);
  *message = g_strdup_printf ("%s at %s: %s", mark.name, where, time);
  i = (int) insert_mark (self->marks, mark);
  changed (self);
  return i;
}

void
hir_timeline_view_rename_mark (HirTimelineView *self, guint i, const char *name)
{
  g_return_if_fail (i < self->marks->len);

  g_free (g_array_index (self->marks, HirTimelineMark, i).name);
  g_array_index (self->marks, HirTimelineMark, i).name = g_strndup (name, MAX_NAME);
  changed (self);
}

typedef struct
{
  HirTimelineView *view; /* borrowed: it calls undo */
  char *document;        /* of the marks */
  HirTimelineMark mark;
} Deletion;

static void
deletion_free (gpointer data)
{
  Deletion *self = data;

  mark_clear (&self->mark);
  g_free (self->document);
  g_free (self);
}

/* Restores the mark, or deletes it again. The marks of another document may be displayed. */
static void
undo_deletion (gpointer owner, gpointer data, gboolean is_undone)
{
  const Deletion *deletion = data;
  HirTimelineView *self = deletion->view;
  gboolean is_shown = g_str_equal (deletion->document, self->mark_document);
  g_autoptr (GArray) marks = is_shown ? g_array_ref (self->marks) : marks_new ();
  HirTimelineMark mark = deletion->mark;

  if (!is_shown)
    read_marks (self, marks, deletion->document);
  if (is_undone)
    {
      mark.name = g_strdup (mark.name);
      insert_mark (marks, mark);
    }
  for (guint i = 0; !is_undone && i < marks->len; i++)
    if (compare_marks (&g_array_index (marks, HirTimelineMark, i), &mark) == 0 &&
        g_str_equal (g_array_index (marks, HirTimelineMark, i).name, mark.name))
      {
        g_array_remove_index (marks, i);
        break;
      }
  if (is_shown)
    changed (self);
  else
    keep_for (self, marks, deletion->document);
}

void
hir_timeline_view_delete_mark (HirTimelineView *self, guint i, HirDocument *document)
{
  Deletion *deletion = g_new0 (Deletion, 1);
  g_autofree char *what = NULL;

  g_return_if_fail (i < self->marks->len);

  deletion->view = self;
  deletion->document = g_strdup (self->mark_document);
  deletion->mark = g_array_index (self->marks, HirTimelineMark, i);
  deletion->mark.name = g_strdup (deletion->mark.name);
  what = g_strdup_printf ("Deletion of the mark %s", deletion->mark.name);
  g_array_remove_index (self->marks, i);
  changed (self);
  hir_document_add_other (document, what, undo_deletion, deletion, deletion_free, 0);
}

void
hir_timeline_view_go_to_mark (HirTimelineView *self, guint i)
{
  g_return_if_fail (i < self->marks->len && self->trace != NULL);

  hir_timeline_view_go_to_time (self, get_zero (self) +
                                          g_array_index (self->marks, HirTimelineMark, i).time_ns);
}
