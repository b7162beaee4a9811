/* The verbs of the command line: a table, and what every verb does alike (options, help, errors).
 * The logic is in the layers below; a verb reads options, calls a document, prints. */
#pragma once

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

/* Exit codes, as scripts rely on them. */
enum
{
  HIR_EXIT_DONE = 0,
  HIR_EXIT_FINDING = 1, /* a check found something */
  HIR_EXIT_BAD = 2,     /* bad usage or input, or this machine lacks what was asked */
};

typedef struct _HirCommand HirCommand;

struct _HirCommand
{
  const char *name;
  const char *group;       /* heading that it stands under in `hirscope --help` */
  const char *arguments;   /* "SRC" */
  const char *summary;     /* one line, no full stop */
  const char *description; /* what `hirscope NAME --help` says above the options */
  const char *examples;    /* lines, each a command; NULL: none */
  gboolean takes_src;      /* its help lists the examples that are built in */
  /* @argv[0] is the verb. */
  int (*run) (const HirCommand *command, int argc, char **argv);
};

/* A block of options under a heading of its own. */
typedef struct
{
  const char *title;
  const GOptionEntry *entries; /* ended by a NULL long_name */
} HirOptionSection;

/* Returns the command named @name, or NULL. */
const HirCommand *hir_command_lookup (const char *name);
/* The verb that @name is nearest to, or NULL where none is near. */
const char *hir_command_suggest (const char *name);

/* Reads @argv against @sections (@n_sections of them, plus --help). What is no option is left in
 * @rest: newly allocated, NULL-terminated, without the verb. FALSE where the verb is done already:
 * then
 * *@exit_code is 0 (help was asked for and printed) or 2 (an option was wrong, said on standard
 * error). */
gboolean hir_command_parse (const HirCommand *command,
                            const HirOptionSection *sections,
                            guint n_sections,
                            int argc,
                            char **argv,
                            char ***rest,
                            int *exit_code) G_GNUC_WARN_UNUSED_RESULT;

/* As printf() and fprintf(), of what may hold words of a file: hir_printable_dup_lines(). */
void hir_command_print (const char *format, ...) G_GNUC_PRINTF (1, 2);
void hir_command_print_to (FILE *file, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Prints the help of the whole program to standard output. */
void hir_command_print_overview (void);

/* `error: what, and what to do` on standard error; gives HIR_EXIT_BAD, so that a verb can return
 * it. The message has no newline at its end. */
int hir_command_fail (const char *format, ...) G_GNUC_PRINTF (1, 2);

extern const HirCommand hir_command_lower;
extern const HirCommand hir_command_run;
extern const HirCommand hir_command_debug;
extern const HirCommand hir_command_export;
extern const HirCommand hir_command_doctor;
extern const HirCommand hir_command_stats;
extern const HirCommand hir_command_compare;
extern const HirCommand hir_command_bisect;
extern const HirCommand hir_command_check;

G_END_DECLS
