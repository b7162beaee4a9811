/* Internal declarations of the console. */
#pragma once

#include "debugger/console.h"

G_BEGIN_DECLS

typedef struct
{
  guint number;
  char *text; /* "T5", "/g T5", "StreamIdx" */
} HirConsoleDisplay;

typedef enum
{
  HIR_OF_THIS,
  HIR_OF_ALL,   /* one value per device */
  HIR_GATHERED, /* from all shards */
} HirConsoleWhose;

/* A value in one line. */
typedef struct
{
  GString *line;
  guint64 digest; /* of all elements */
} HirConsoleBrief;

struct _HirConsole
{
  HirDebugger *debugger;
  GPtrArray *depths;   /* GArray* of guint, one per rank: loop depth of each instruction */
  GPtrArray *displays; /* HirConsoleDisplay* */
  guint n_displays;
  gboolean hides_displays; /* stops do not print displayed expressions */
  char *last;              /* nullable: the line that an empty line repeats */
  guint list_next;         /* instruction at which `list` continues; 0: around the cursor */
  gint64 page_row;         /* row at which `x` continues; -1: none */
  gboolean is_done;
  HirCheckOutcome check_outcome;
};

/* One call of a command. @arguments is the rest of the line, stripped; @column is its column. */
typedef struct
{
  HirConsole *console;
  const char *arguments;
  guint column;
  GString *out;
} HirConsoleCall;

typedef gboolean (*HirConsoleFunc) (const HirConsoleCall *call, int data, GError **error);

typedef enum
{
  HIR_REPEATS = 1 << 0,     /* an empty line repeats the command */
  HIR_TAKES_PLACE = 1 << 1, /* completion offers kinds, ops and tensors */
  HIR_TAKES_VALUE = 1 << 2, /* completion offers tensors and scalars */
} HirConsoleFlags;

typedef struct
{
  const char *name;
  const char *shorts; /* nullable: aliases, "b,br" */
  HirConsoleFunc run;
  int data;
  HirConsoleFlags flags;
  const char *arguments; /* never NULL */
  const char *help;      /* one line; the text after a newline is for `help COMMAND` */
} HirConsoleCommand;

/* Finds a command by name, alias or unambiguous prefix. Returns NULL and sets @error otherwise. */
const HirConsoleCommand *
hir_console_find (const HirConsoleCommand *table, const char *word, GError **error);

/* Sets an error at character @offset of the arguments. Returns FALSE. */
gboolean hir_console_reject (const HirConsoleCall *call,
                             guint offset,
                             GError **error,
                             const char *format,
                             ...) G_GNUC_PRINTF (4, 5);
/* Takes @cause, whose column counts from character @offset of the arguments, and sets @error with
 * the column in the line. Returns FALSE. */
gboolean
hir_console_pass_error (const HirConsoleCall *call, guint offset, GError *cause, GError **error);
/* Returns the current run, or NULL with an error if the program has not been started. */
HirDebugRun *hir_console_get_run (const HirConsoleCall *call, GError **error);
/* Appends "program line 12, T5 = Allgather(T4)". */
void
hir_console_append_instruction (HirConsole *console, guint i, const HirExpr *expr, GString *out);
/* console-print.c */

/* Parses "/a" (all devices) or "/g" (gathered) before the expression at *@text. */
gboolean hir_console_read_whose (const HirConsoleCall *call,
                                 const char **text,
                                 HirConsoleWhose *whose,
                                 GError **error);
/* Appends the value of the expression @text to @out, and to @brief (nullable). */
gboolean hir_console_append_value (HirConsole *console,
                                   const char *text,
                                   HirConsoleWhose whose,
                                   GString *out,
                                   HirConsoleBrief *brief,
                                   GError **error);

/* console-display.c */

/* Appends all displayed expressions with their values after a stop. */
void hir_console_show_displays (HirConsole *console, GString *out);

gboolean hir_console_move (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_back (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_start (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_rank (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_set (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_break (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_delete (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_enable (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_print (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_page (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_display (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_undisplay (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_info (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_list (const HirConsoleCall *call, int data, GError **error);
gboolean hir_console_where (const HirConsoleCall *call, int data, GError **error);

/* Returns the subcommands of `info`, ended by a NULL name. */
const HirConsoleCommand *hir_console_get_infos (void);

G_END_DECLS
