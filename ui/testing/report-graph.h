/* Reports the graph and the displayed difference. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Appends ,"graph":{...},"diff":{...} to @out. */
void hir_report_append_graph (GString *out, HirWindow *window);

G_END_DECLS
