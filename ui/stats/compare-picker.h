/* Asks which snapshot the step is to be compared with: any of this program, of the one before the last change,
 * of other ranks. A list to type into. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

/* @base is borrowed; @name is what to call it. Not called where the user thinks better of it. */
typedef void (*HirComparePicked) (HirProgramView *base, const char *name, gpointer user_data);

/* Over @parent, modal. @user_data must live as long as @parent. */
void hir_compare_picker_present (GtkWindow *parent,
                                 HirSelection *selection,
                                 HirComparePicked picked,
                                 gpointer user_data);

G_END_DECLS
