/* Fixtures: programs of example scripts, main loop helpers, temporary folders. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

/* Creates a request for @function of app/examples/@file. */
HirRequest *fix_request (const char *file, const char *function);
/* Creates a request for a script given as text. */
HirRequest *fix_request_of_text (const char *text, const char *function);
/* Lowers @function of single_device.py, and requires success. */
HirProgram *fix_program (const char *function);
/* Like fix_program(), with input shapes ("4x8 8x2"). */
HirProgram *fix_program_with_inputs (const char *function, const char *inputs);
/* Returns the ids of all nodes of all snapshots, sorted, one per line: "2 0123456789abcdef
 * MatmulOp". */
char *fix_dup_ids (const HirProgram *program);
/* Returns the path of the built program. */
char *fix_dup_hirscope (void);
/* Replaces the process by the built program if the arguments are those of a run of a document:
 * documents start their own executable. Call first in main(). */
void fix_act_as_hirscope (int argc, char **argv);

/* Iterates the thread-default main context until @flag is set. Fails the test after one minute. */
void fix_wait (const gboolean *flag);
/* Iterates the thread-default main context for the given time. */
void fix_iterate (guint ms);

/* Creates a temporary folder; delete it with fix_remove_folder(). */
char *fix_make_folder (void);
void fix_remove_folder (char *folder);
/* Creates an executable shell script @name in @folder. Returns its path. */
char *fix_make_script (const char *folder, const char *name, const char *text);

G_END_DECLS
