/* Programs of the example scripts, waiting for a main loop, and the program under test as a
 * process. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

/* A request for @function of app/examples/@file. */
HirRequest *fix_request (const char *file, const char *function);
/* The same for a script that is given as text. */
HirRequest *fix_request_of_text (const char *text, const char *function);
/* @function of single_device.py, lowered without an error. */
HirProgram *fix_program (const char *function);
/* Likewise, with the shapes of its inputs ("4x8 8x2"). */
HirProgram *fix_program_with_inputs (const char *function, const char *inputs);
/* The ids of all nodes of all snapshots, in order of id, a line each: "2 0123456789abcdef
 * MatmulOp". */
char *fix_dup_ids (const HirProgram *program);
/* The path of the built hirscope. */
char *fix_dup_hirscope (void);

/* Iterates the thread-default main context until @flag is set; fails the test after a minute. */
void fix_wait (const gboolean *flag);
/* Iterates it for that long. */
void fix_iterate (guint ms);

/* A folder that goes with fix_remove_folder(), with all that is in it. */
char *fix_make_folder (void);
void fix_remove_folder (char *folder);
/* An executable shell script @name in @folder; its path. */
char *fix_make_script (const char *folder, const char *name, const char *text);

G_END_DECLS
