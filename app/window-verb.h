/* Implements `hirscope [FILE...]`: opens the window. Accepts the lowering options. */
#pragma once

/* Runs the window. @argv[0] is the program. Returns the exit code: 2 if this build has no window,
 * or if the display, file or example does not exist. */
int hir_window_verb_run (int argc, char **argv);
