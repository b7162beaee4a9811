/* Counters of a Chrome trace: each number among the args of a 'C' event is a sample of its series. */
#pragma once

#include "trace/chrome/import-chrome-private.h"

G_BEGIN_DECLS

/* @time_ns: of the trace. FALSE: self->error. */
gboolean
hir_chrome_take_counter (HirChromeImporter *self, const HirChromeEvent *event, gint64 time_ns);

G_END_DECLS
