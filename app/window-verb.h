/* hirscope [FILE]: the window, with the lowering options as every verb has them. */
#pragma once

/* @argv[0] is the program. Gives the exit code: 2 where this build has no window, or there is no
 * display, no such file or no such example. */
int hir_window_verb_run (int argc, char **argv);
