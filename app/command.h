/* Table of the commands, and their common parts: option parsing, help and error messages. A command
 * only parses its options, calls the layers below and prints the results. */
#pragma once

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

/* Exit codes. Scripts rely on them. */
enum
{
  HIR_EXIT_DONE = 0,
  HIR_EXIT_FINDING = 1,   /* a check found something */
  HIR_EXIT_BAD = 2,       /* invalid usage or input, or this machine lacks what was requested */
  HIR_EXIT_UNDECIDED = 3, /* a check could not decide, because rounding errors may be too large */
};

typedef struct _HirCommand HirCommand;

struct _HirCommand
{
  const char *name;
  const char *group;       /* heading in `hirscope --help` */
  const char *arguments;   /* "SRC" */
  const char *summary;     /* one line without a period */
  const char *description; /* text above the options in `hirscope NAME --help` */
  const char *examples;    /* one command per line; NULL if there are none */
  gboolean takes_src;      /* the help lists the built-in examples */
  /* Runs the command and returns the exit code. @argv[0] is the name of the command. */
  int (*run) (const HirCommand *command, int argc, char **argv);
};

/* Options under one heading of the help. */
typedef struct
{
  const char *title;
  const GOptionEntry *entries; /* terminated by an entry without a long_name */
} HirOptionSection;

/* Returns the command named @name, or NULL. */
const HirCommand *hir_command_lookup (const char *name);
/* Returns the command name that is nearest to @name, or NULL if none is near enough. */
const char *hir_command_suggest (const char *name);

/* Parses @argv with --help and the options in the @n_sections @sections. Stores the other
 * arguments, without the name of the command, in @rest (newly allocated, NULL-terminated). Returns
 * FALSE if the command has nothing more to do and sets @exit_code: HIR_EXIT_DONE after printing the
 * help, HIR_EXIT_BAD after printing an error about an invalid option. */
gboolean hir_command_parse (const HirCommand *command,
                            const HirOptionSection *sections,
                            guint n_sections,
                            int argc,
                            char **argv,
                            char ***rest,
                            int *exit_code) G_GNUC_WARN_UNUSED_RESULT;

/* Like printf(), but escapes control characters, because text from a file may contain them; see
 * hir_printable_dup_lines(). */
void hir_command_print (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Like fprintf(), but escapes control characters as hir_command_print() does. */
void hir_command_print_to (FILE *file, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Prints `hirscope --help`, the list of all commands, on standard output. */
void hir_command_print_overview (void);

/* Prints "error: " and the message on standard error. The message does not end with a newline.
 * Returns HIR_EXIT_BAD, which a command can return directly. */
int hir_command_fail (const char *format, ...) G_GNUC_PRINTF (1, 2);

extern const HirCommand hir_command_join;
extern const HirCommand hir_command_lower;
extern const HirCommand hir_command_mcp;
extern const HirCommand hir_command_run;
extern const HirCommand hir_command_debug;
extern const HirCommand hir_command_explain;
extern const HirCommand hir_command_export;
extern const HirCommand hir_command_doctor;
extern const HirCommand hir_command_predict;
extern const HirCommand hir_command_stats;
extern const HirCommand hir_command_compare;
extern const HirCommand hir_command_query;
extern const HirCommand hir_command_tune;
extern const HirCommand hir_command_bisect;
extern const HirCommand hir_command_check;

G_END_DECLS
