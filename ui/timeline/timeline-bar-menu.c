/* Items of the context menu that concern the selected event. The window has their actions. */
#include "base/long-text.h"
#include "timeline/timeline-private.h"

#define MOST_TITLE 40 /* characters of a menu's title */

void
hir_timeline_add_bar_items (HirTimelineView *self, GMenu *menu)
{
  static const struct
  {
    const char *label, *action, *key;
  } items[] = {
    { "Zoom to It", "win.event-zoom", "" },
    { "Next of the Same Name", "win.event-next-same", "greater" },
    { "Previous of the Same Name", "win.event-previous-same", "less" },
    { "Find All of the Same Name", "win.event-find-same", "" },
    { "List All of the Same Name", "win.event-list-same", "" },
    { "Select Launch or Launched Work", "win.event-launch", "" },
    { "Copy as Text", "win.event-copy::text", "" },
    { "Copy as JSON", "win.event-copy::json", "" },
  };
  g_autoptr (GMenu) section = g_menu_new ();
  g_autofree char *title = NULL;
  guint track, index;
  HirEvent event;

  if (!hir_selection_get_event (self->selection, &track, &index))
    return;
  hir_trace_get_event (self->trace, track, index, &event);
  title = hir_long_text_dup (hir_trace_get_string (self->trace, event.name), MOST_TITLE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (items[i].label, items[i].action);

      if (*items[i].key != '\0')
        g_menu_item_set_attribute (item, "accel", "s", items[i].key);
      g_menu_append_item (section, item);
    }
  g_menu_append_section (menu, title, G_MENU_MODEL (section));
}
