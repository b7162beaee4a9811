/* Shared by the files of the console. */
#pragma once

#include "debugger/console.h"

G_BEGIN_DECLS

typedef struct
{
  guint number;
  char *text; /* "T5", "/g T5", "StreamIdx" */
} HirConsoleDisplay;

struct _HirConsole
{
  HirDebugger *debugger;
  GPtrArray *depths; /* GArray* of guint, one a rank: of each instruction */
  GPtrArray *displays; /* HirConsoleDisplay* */
  guint n_displays;
  char *last;        /* nullable: the line that an empty one repeats */
  guint list_next;   /* the instruction that list goes on with; 0: around the cursor */
  gint64 page_row;   /* of x: where it goes on; -1 */
  gboolean is_done, has_failed_check;
};

/* One command. @arguments: what follows the word, without space at its ends; @column: where it
 * begins in the line. */
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
  HIR_REPEATS = 1 << 0,   /* by an empty line */
  HIR_TAKES_PLACE = 1 << 1, /* completion offers kinds and tensors */
  HIR_TAKES_VALUE = 1 << 2, /* ... tensors and scalars */
} HirConsoleFlags;

typedef struct
{
  const char *name;
  const char *shorts; /* nullable: other words for it, "b,br" */
  HirConsoleFunc run;
  int data;
  HirConsoleFlags flags;
  const char *arguments; /* "" */
  const char *help;      /* a line; what follows a newline is for `help COMMAND` */
} HirConsoleCommand;

/* By name, short or a beginning that only one has; NULL and the error. */
const HirConsoleCommand *
hir_console_find (const HirConsoleCommand *table, const char *word, GError **error);

/* Errors about the arguments: @offset characters behind their begin. Gives FALSE. */
gboolean hir_console_refuse (const HirConsoleCall *call,
                             guint offset,
                             GError **error,
                             const char *format,
                             ...) G_GNUC_PRINTF (4, 5);
/* @cause, whose column counts in the arguments (from @offset on), as one of the line. Gives FALSE. */
gboolean
hir_console_pass_error (const HirConsoleCall *call, guint offset, GError *cause, GError **error);
/* NULL and an error where the program is not being run. */
HirDebugRun *hir_console_get_run (const HirConsoleCall *call, GError **error);
/* "#12 T5 = Allgather(T4)". */
void hir_console_append_instruction (HirConsole *console, guint i, const HirExpr *expr, GString *out);
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

/* The table of `info`, ended by a NULL name. */
const HirConsoleCommand *hir_console_get_infos (void);

G_END_DECLS
