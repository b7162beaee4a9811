#include "debugger/debug-console.h"
#include "debugger/mismatch-strip.h"
#include "testing/report-widgets.h"
#include "testing/report.h"
#include "window/debug-controller-private.h"

void
hir_report_add_debug (HirJsonOut *json, HirWindow *window)
{
  HirDebugController *self = window->debugger;
  g_autofree char *said = hir_debug_console_dup_said (hir_debug_page_get_console (self->page));
  g_autofree char *values = hir_debug_page_dup_values (self->page);
  gint64 pointer_ns = -1;
  g_autofree char *wrong = hir_mismatch_strip_dup_text (hir_debug_page_get_mismatch (self->page));

  hir_json_out_begin (json, "debug", '{');
  hir_json_out_add_bool (json, "shown", gtk_widget_get_visible (GTK_WIDGET (self->page)));
  hir_json_out_add_bool (json, "on", self->is_debugging);
  hir_json_out_add_bool (json, "busy", !g_queue_is_empty (self->sent));
  hir_json_out_add_uint (json, "answers", self->n_answers);
  hir_json_out_add_uint (json, "round", self->round);
  hir_report_add_id (json, "pointer", self->pointer);
  hir_report_add_string (json, "place", hir_debug_page_get_place (self->page));
  hir_report_add_string (json, "waits", hir_debug_page_get_waits (self->page));
  if (!hir_timeline_view_get_pointer (window->timeline, &pointer_ns))
    pointer_ns = -1;
  hir_json_out_add_int (json, "pointer_ns", pointer_ns);
  hir_report_add_string (json, "wrong", wrong);
  hir_report_add_font (json, "wrong_font",
                       hir_mismatch_strip_get_report (hir_debug_page_get_mismatch (self->page)));
  hir_report_add_string (json, "values", values);
  hir_report_add_string (json, "said", said);
  hir_json_out_begin (json, "breaks", '[');
  for (guint i = 0; i < self->breaks->len; i++)
    {
      g_autofree char *text = hir_break_dup_text (self->breaks->pdata[i]);

      hir_report_add_string (json, NULL, text);
    }
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "unbound", '[');
  for (guint i = 0; i < self->breaks->len; i++)
    if (((const HirBreak *) self->breaks->pdata[i])->why != NULL)
      hir_json_out_add_uint (json, NULL, i);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "off", '[');
  for (guint i = 0; i < self->breaks->len; i++)
    if (((const HirBreak *) self->breaks->pdata[i])->is_disabled)
      hir_json_out_add_uint (json, NULL, i);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "watches", '[');
  for (guint i = 0; i < hir_debug_watches_get (self->watches)->len; i++)
    {
      const HirWatch *watch = hir_debug_watches_get (self->watches)->pdata[i];

      hir_json_out_begin (json, NULL, '{');
      hir_report_add_string (json, "text", watch->text);
      hir_report_add_string (json, "value", watch->value);
      hir_json_out_add_bool (json, "changed", watch->is_changed);
      hir_json_out_add_bool (json, "error", watch->is_error);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
  hir_report_add_string (json, "refused",
                         hir_break_list_get_why (hir_debug_page_get_breaks (self->page)));
  hir_json_out_end (json, '}');
}
