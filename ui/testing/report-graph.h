/* What the report tells of the graph and of what is compared. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* ,"graph":{...},"diff":{...} */
void hir_report_append_graph (GString *out, HirWindow *window);

G_END_DECLS
