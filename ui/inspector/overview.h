/* What the inspector tells while nothing is selected: the program as a whole, and its recording. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

/* Called for each card, with its heading (nullable); takes @card, an HirFactCard or a plain widget. */
typedef void (*HirOverviewFunc) (const char *heading, GtkWidget *card, gpointer user_data);

/* Links have the form "node/ID" and "stepN/ID", with the id in hex. */
void hir_overview_add (HirSelection *selection, HirOverviewFunc add, gpointer user_data);

G_END_DECLS
