#include "graph/graph-painter.h"

#include <string.h>

#include "draw/paint-pixels.h"

struct _HirGraphPainter
{
  void (*ready) (gpointer user_data);
  gpointer user_data;
  HirTextCache *texts; /* used by the main thread only */
  HirGraphPainted *painted;

  GThread *thread; /* started on first use */
  GMutex mutex;
  GCond cond;
  /* Guarded by the mutex: */
  HirGraphFrame *wanted;     /* next frame to paint; NULL if there is none */
  HirGraphPainted *finished; /* finished frame that was not fetched yet */
  guint idle;
  gboolean is_over;
  HirGraphFrame *requested; /* last frame given to the thread; used by the main thread only */
};

HirGraphFrame *
hir_graph_frame_new (HirPicture *picture, HirLayout *layout)
{
  HirGraphFrame *frame = g_new0 (HirGraphFrame, 1);

  g_atomic_ref_count_init (&frame->ref_count);
  frame->picture = hir_picture_ref (picture);
  frame->layout = hir_layout_ref (layout);
  frame->selected = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  frame->breaks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  frame->marks = g_array_new (FALSE, FALSE, sizeof (HirGraphMark));
  return frame;
}

static HirGraphFrame *
frame_ref (HirGraphFrame *frame)
{
  g_atomic_ref_count_inc (&frame->ref_count);
  return frame;
}

static void
frame_unref (HirGraphFrame *frame)
{
  if (frame == NULL || !g_atomic_ref_count_dec (&frame->ref_count))
    return;
  hir_picture_unref (frame->picture);
  hir_layout_unref (frame->layout);
  g_hash_table_unref (frame->selected);
  g_hash_table_unref (frame->breaks);
  g_array_unref (frame->marks);
  g_free (frame);
}

static gboolean
has_same_sets (const HirGraphFrame *a, const HirGraphFrame *b)
{
  GHashTableIter iter;
  gpointer key, is;

  if (g_hash_table_size (a->selected) != g_hash_table_size (b->selected) ||
      g_hash_table_size (a->breaks) != g_hash_table_size (b->breaks) ||
      a->marks->len != b->marks->len)
    return FALSE;
  for (guint i = 0; i < a->marks->len; i++)
    if (g_array_index (a->marks, HirGraphMark, i).id !=
            g_array_index (b->marks, HirGraphMark, i).id ||
        g_array_index (a->marks, HirGraphMark, i).color !=
            g_array_index (b->marks, HirGraphMark, i).color)
      return FALSE;
  g_hash_table_iter_init (&iter, a->selected);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!g_hash_table_contains (b->selected, key))
      return FALSE;
  g_hash_table_iter_init (&iter, a->breaks);
  while (g_hash_table_iter_next (&iter, &key, &is))
    if (g_hash_table_lookup (b->breaks, key) != is)
      return FALSE;
  return TRUE;
}

static gboolean
is_equal (const HirGraphFrame *a, const HirGraphFrame *b)
{
  return a->picture == b->picture && a->layout == b->layout && a->theme == b->theme &&
         a->hovered == b->hovered && a->pair[0] == b->pair[0] && a->pair[1] == b->pair[1] &&
         a->pointer == b->pointer && a->can_break == b->can_break && a->is_diff == b->is_diff &&
         a->has_map == b->has_map && memcmp (&a->camera, &b->camera, sizeof a->camera) == 0 &&
         a->width == b->width && a->height == b->height && a->scale == b->scale &&
         has_same_sets (a, b);
}

static void
painted_free (HirGraphPainted *painted)
{
  if (painted == NULL)
    return;
  frame_unref (painted->frame);
  g_clear_pointer (&painted->image, hir_canvas_picture_unref);
  g_clear_pointer (&painted->map, hir_canvas_picture_unref);
  hir_display_list_free (painted->list);
  g_free (painted);
}

/* Paints @list over @background. Returns NULL if there is no memory. */
static HirCanvasPicture *
paint (const HirDisplayList *list,
       HirTextCache *texts,
       HirColor background,
       int width,
       int height,
       HirCamera camera)
{
  HirCanvasPicture *picture = hir_canvas_picture_new (width, height);
  cairo_surface_t *surface;
  cairo_t *cr;

  if (picture == NULL)
    return NULL;
  surface = hir_canvas_picture_get_surface (picture);
  cr = cairo_create (surface);
  cairo_set_source_rgba (cr, ((background >> 16) & 0xff) / 255.0,
                         ((background >> 8) & 0xff) / 255.0, (background & 0xff) / 255.0,
                         (background >> 24) / 255.0);
  cairo_paint (cr);
  cairo_destroy (cr);
  hir_paint_pixels (list, surface, camera.zoom, camera.dx, camera.dy, texts);
  cairo_surface_flush (surface);
  return picture;
}

static HirCanvasPicture *
paint_map (const HirGraphFrame *frame, const HirGraphScene *scene, HirTextCache *texts)
{
  HirDisplayList *list = hir_display_list_new ();
  HirRect rect = hir_rect (6, 6, frame->map.width - 12, frame->map.height - 12);
  HirCanvasPicture *picture;

  hir_graph_scene_draw_map (scene, list, &rect, &scene->visible);
  picture = paint (list, texts, 0, (int) (frame->map.width * frame->scale),
                   (int) (frame->map.height * frame->scale), (HirCamera){ frame->scale, 0, 0 });
  hir_display_list_free (list);
  return picture;
}

static HirGraphPainted *
paint_frame (HirGraphFrame *frame, HirTextCache *texts)
{
  HirGraphPainted *painted = g_new0 (HirGraphPainted, 1);
  HirCamera camera = frame->camera;
  double scale = frame->scale;
  HirGraphScene scene = {
    .graph = frame->picture->graph,
    .layout = frame->layout,
    .theme = frame->theme,
    .selected = frame->selected,
    .changes = frame->picture->changes,
    .marks = (const HirGraphMark *) (gpointer) frame->marks->data,
    .n_marks = frame->marks->len,
    .hovered = frame->hovered,
    .pair = { frame->pair[0], frame->pair[1] },
    .pointer = frame->pointer,
    .breaks = frame->breaks,
    .can_break = frame->can_break,
    .can_fold = TRUE,
    .is_diff = frame->is_diff,
    .zoom = camera.zoom,
    .visible = hir_rect (-camera.dx / camera.zoom, -camera.dy / camera.zoom,
                         frame->width / camera.zoom, frame->height / camera.zoom),
  };

  painted->frame = frame_ref (frame);
  painted->list = hir_display_list_new ();
  hir_graph_scene_draw (&scene, painted->list);
  painted->image = paint (painted->list, texts, frame->theme->background, frame->width * scale,
                          frame->height * scale,
                          (HirCamera){ camera.zoom * scale, camera.dx * scale, camera.dy * scale });
  if (frame->has_map)
    painted->map = paint_map (frame, &scene, texts);
  return painted;
}

static gboolean
on_finished (gpointer user_data)
{
  HirGraphPainter *painter = user_data;

  g_mutex_lock (&painter->mutex);
  painter->idle = 0;
  g_mutex_unlock (&painter->mutex);
  painter->ready (painter->user_data);
  return G_SOURCE_REMOVE;
}

/* Paints the newest frame only; frames requested in between are skipped. */
static gpointer
work (gpointer user_data)
{
  HirGraphPainter *painter = user_data;
  HirTextCache *texts = hir_text_cache_new ();

  g_mutex_lock (&painter->mutex);
  while (!painter->is_over)
    {
      HirGraphFrame *frame = g_steal_pointer (&painter->wanted);
      HirGraphPainted *finished;

      if (frame == NULL)
        {
          g_cond_wait (&painter->cond, &painter->mutex);
          continue;
        }
      g_mutex_unlock (&painter->mutex);
      finished = paint_frame (frame, texts);
      frame_unref (frame);
      g_mutex_lock (&painter->mutex);
      painted_free (painter->finished);
      painter->finished = finished;
      if (painter->idle == 0 && !painter->is_over)
        painter->idle = g_idle_add_full (G_PRIORITY_DEFAULT, on_finished, painter, NULL);
    }
  g_mutex_unlock (&painter->mutex);
  hir_text_cache_free (texts);
  return NULL;
}

HirGraphPainter *
hir_graph_painter_new (void (*ready) (gpointer user_data), gpointer user_data)
{
  HirGraphPainter *painter = g_new0 (HirGraphPainter, 1);

  painter->ready = ready;
  painter->user_data = user_data;
  painter->texts = hir_text_cache_new ();
  g_mutex_init (&painter->mutex);
  g_cond_init (&painter->cond);
  return painter;
}

void
hir_graph_painter_free (HirGraphPainter *painter)
{
  if (painter == NULL)
    return;
  g_mutex_lock (&painter->mutex);
  painter->is_over = TRUE;
  g_cond_signal (&painter->cond);
  g_mutex_unlock (&painter->mutex);
  if (painter->thread != NULL)
    g_thread_join (painter->thread);
  g_clear_handle_id (&painter->idle, g_source_remove);
  frame_unref (painter->wanted);
  frame_unref (painter->requested);
  painted_free (painter->finished);
  painted_free (painter->painted);
  hir_text_cache_free (painter->texts);
  g_mutex_clear (&painter->mutex);
  g_cond_clear (&painter->cond);
  g_free (painter);
}

static void
take_finished (HirGraphPainter *painter)
{
  HirGraphPainted *finished;

  g_mutex_lock (&painter->mutex);
  finished = g_steal_pointer (&painter->finished);
  g_mutex_unlock (&painter->mutex);
  if (finished == NULL)
    return;
  painted_free (painter->painted);
  painter->painted = finished;
}

static void
request (HirGraphPainter *painter, HirGraphFrame *frame)
{
  if (painter->requested != NULL && is_equal (painter->requested, frame))
    return;
  frame_unref (painter->requested);
  painter->requested = frame_ref (frame);
  g_mutex_lock (&painter->mutex);
  frame_unref (painter->wanted);
  painter->wanted = frame_ref (frame);
  g_cond_signal (&painter->cond);
  g_mutex_unlock (&painter->mutex);
  if (painter->thread == NULL)
    painter->thread = g_thread_new ("hir-graph", work, painter);
}

const HirGraphPainted *
hir_graph_painter_get (HirGraphPainter *painter, HirGraphFrame *frame)
{
  const HirGraph *graph = frame->picture->graph;

  take_finished (painter);
  if (painter->painted != NULL && is_equal (painter->painted->frame, frame))
    {
      frame_unref (frame);
      return painter->painted;
    }
  if (graph->nodes->len + graph->edges->len <= HIR_GRAPH_PAINT_HERE)
    {
      painted_free (painter->painted);
      painter->painted = paint_frame (frame, painter->texts);
      g_clear_pointer (&painter->requested, frame_unref);
    }
  else
    request (painter, frame);
  frame_unref (frame);
  /* A frame in another theme is not displayed. */
  if (painter->painted != NULL && painter->requested != NULL &&
      graph->nodes->len + graph->edges->len > HIR_GRAPH_PAINT_HERE &&
      painter->painted->frame->theme != painter->requested->theme)
    return NULL;
  return painter->painted;
}
