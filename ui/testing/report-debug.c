#include "debugger/debug-console.h"
#include "debugger/mismatch-strip.h"
#include "testing/report-widgets.h"
#include "testing/report.h"
#include "window/debug-controller-private.h"

void
hir_report_append_debug (GString *out, HirWindow *window)
{
  HirDebugController *self = window->debugger;
  g_autofree char *said = hir_debug_console_dup_said (hir_debug_page_get_console (self->page));
  g_autofree char *values = hir_debug_page_dup_values (self->page);
  gint64 pointer_ns = -1;
  g_autofree char *wrong = hir_mismatch_strip_dup_text (hir_debug_page_get_mismatch (self->page));

  g_string_append_printf (out,
                          ",\"debug\":{\"shown\":%s,\"on\":%s,\"busy\":%s,\"answers\":%u,\"round\":"
                          "%" G_GUINT64_FORMAT ",\"pointer\":\"%016" G_GINT64_MODIFIER
                          "x\",\"place\":",
                          gtk_widget_get_visible (GTK_WIDGET (self->page)) ? "true" : "false",
                          self->is_debugging ? "true" : "false",
                          g_queue_is_empty (self->sent) ? "false" : "true", self->n_answers,
                          self->round, self->pointer);
  hir_report_append_string (out, hir_debug_page_get_place (self->page));
  g_string_append (out, ",\"waits\":");
  hir_report_append_string (out, hir_debug_page_get_waits (self->page));
  if (!hir_timeline_view_get_pointer (window->timeline, &pointer_ns))
    pointer_ns = -1;
  g_string_append_printf (out, ",\"pointer_ns\":%" G_GINT64_FORMAT, pointer_ns);
  g_string_append (out, ",\"wrong\":");
  hir_report_append_string (out, wrong);
  g_string_append (out, ",\"values\":");
  hir_report_append_string (out, values);
  g_string_append (out, ",\"said\":");
  hir_report_append_string (out, said);
  g_string_append (out, ",\"breaks\":[");
  for (guint i = 0; i < self->breaks->len; i++)
    {
      const HirBreak *item = self->breaks->pdata[i];
      g_autofree char *text = hir_break_dup_text (item);

      g_string_append (out, i > 0 ? "," : "");
      hir_report_append_string (out, text);
    }
  g_string_append (out, "],\"unbound\":[");
  for (guint i = 0, n = 0; i < self->breaks->len; i++)
    if (((const HirBreak *) self->breaks->pdata[i])->why != NULL)
      g_string_append_printf (out, "%s%u", n++ > 0 ? "," : "", i);
  g_string_append (out, "],\"off\":[");
  for (guint i = 0, n = 0; i < self->breaks->len; i++)
    if (((const HirBreak *) self->breaks->pdata[i])->is_disabled)
      g_string_append_printf (out, "%s%u", n++ > 0 ? "," : "", i);
  g_string_append (out, "],\"refused\":");
  hir_report_append_string (out, hir_break_list_get_why (hir_debug_page_get_breaks (self->page)));
  g_string_append_c (out, '}');
}
