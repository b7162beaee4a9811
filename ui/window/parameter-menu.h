/* A menu button with the functions of the script that build a fusion, and with the parameter sets
 * of a test function: those of its pytest.mark.parametrize decorators. Hidden if there is no
 * choice, or if a function without parameters is chosen: the palette lists the functions, too. */
#pragma once

#include <gtk/gtk.h>

#include "program/request.h"

G_BEGIN_DECLS

GtkWidget *hir_parameter_menu_new (void);

/* Returns the names of the functions of @request (nullable) that build a fusion: a NULL-terminated
 * array (transfer full), empty for a printed program. */
char **hir_parameter_menu_dup_functions (const HirRequest *request);

/* Lists the functions of @request (nullable) and the parameter sets of its function. An entry
 * activates `win.choose-parameters` with the name of the function and, for parameters, its id.
 * @function (nullable) is the function that was lowered, for a request that names none. */
void hir_parameter_menu_update (GtkWidget *menu, const HirRequest *request, const char *function);

G_END_DECLS
