/* Dialog that asks for the snapshot to compare with: any step of this program, of the program
 * before the last change, or of other ranks. The list can be searched. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

/* Called with the chosen snapshot (borrowed) and its display name. Not called if the user
 * cancels. */
typedef void (*HirComparePicked) (HirProgramView *base, const char *name, gpointer user_data);

/* Opens the modal dialog over @parent. @user_data must live as long as @parent. */
void hir_compare_picker_present (GtkWindow *parent,
                                 HirSelection *selection,
                                 HirComparePicked picked,
                                 gpointer user_data);

G_END_DECLS
