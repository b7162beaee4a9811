/* Imports the counters of a Chrome trace. Each number in the args of a 'C' event is one sample of a
 * series. */
#pragma once

#include "trace/chrome/import-chrome-private.h"

G_BEGIN_DECLS

/* Adds the samples of @event. @time_ns is in trace time. Returns FALSE and sets self->error on
 * failure. */
gboolean
hir_chrome_take_counter (HirChromeImporter *self, const HirChromeEvent *event, gint64 time_ns);

G_END_DECLS
