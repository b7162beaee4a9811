/* Content of the inspector without a selection: the whole program and its recording. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

/* Adds a card with its heading (nullable). Takes @card, an HirFactCard or another widget. */
typedef void (*HirOverviewFunc) (const char *heading, GtkWidget *card, gpointer user_data);

/* Adds the cards by calling @add. Links have the form "node/ID" and "stepN/ID", with the id in
 * hexadecimal. */
void hir_overview_add (HirSelection *selection, HirOverviewFunc add, gpointer user_data);

G_END_DECLS
