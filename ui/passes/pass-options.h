/* The options of a pass, to be changed in place: made from the pass's own table. */
#pragma once

#include <gtk/gtk.h>

#include "pass.h"
#include "program/request.h"

G_BEGIN_DECLS

/* A popover with what the pass does and a control for each option, as @request has it. A change is asked for by
 * the action `win.pass-option` (sss): pass, option, value. */
GtkWidget *hir_pass_options_new (const HirPass *pass, HirRequest *request);

G_END_DECLS
