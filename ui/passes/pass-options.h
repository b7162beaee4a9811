/* A popover for the options of a pass, built from the option table of the pass. */
#pragma once

#include <gtk/gtk.h>

#include "pass.h"
#include "program/request.h"

G_BEGIN_DECLS

/* Returns a popover with the help of the pass and one control per option, with the values of
 * @request. A change activates `win.pass-option` (sss) with pass, option and value. */
GtkWidget *hir_pass_options_new (const HirPass *pass, HirRequest *request);

G_END_DECLS
