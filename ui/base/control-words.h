/* Names of controls in place of the words of the command line. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns @text (nullable), a message that the command line shares with the window, in the words of
 * the window: "use smaller --input sizes" becomes "use smaller inputs". An option without a control
 * becomes a command. */
char *hir_control_words_dup (const char *text);

G_END_DECLS
