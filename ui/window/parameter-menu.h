/* A menu button with the parameter sets of a test function: those of its pytest.mark.parametrize
 * decorators. Hidden if there are fewer than two. */
#pragma once

#include <gtk/gtk.h>

#include "program/request.h"

G_BEGIN_DECLS

GtkWidget *hir_parameter_menu_new (void);

/* Lists the parameter sets of the function of @request (nullable) that activate
 * `win.choose-parameters` with the name of the function and its id. @function (nullable) is the
 * function that was lowered, for a request that names none. */
void hir_parameter_menu_update (GtkWidget *menu, const HirRequest *request, const char *function);

G_END_DECLS
