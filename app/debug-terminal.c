#include "debug-terminal.h"

#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if HIR_HAVE_EDITLINE
#include <histedit.h>
#endif

#include "signal-thread.h"

#define HISTORY_LINES 1000

struct _HirTerminal
{
  HirConsole *console;
  char *prompt;
  gboolean is_interactive;
#if HIR_HAVE_EDITLINE
  EditLine *edit;
  History *history;
#endif
  HirSignalThread *signals;
  void (*stop) (gpointer user_data);
  gpointer user_data;
};

#if HIR_HAVE_EDITLINE
static HirTerminal *
get_terminal (EditLine *edit)
{
  void *data = NULL;

  el_get (edit, EL_CLIENTDATA, &data);
  return data;
}

static char *
get_prompt (EditLine *edit)
{
  return get_terminal (edit)->prompt;
}

/* Returns the length of the longest common prefix of @words. */
static gsize
count_common (char **words)
{
  gsize n = strlen (words[0]);

  for (guint i = 1; words[i] != NULL; i++)
    for (gsize k = 0; k < n; k++)
      if (words[i][k] != words[0][k])
        n = k;
  return n;
}

static unsigned char
complete (EditLine *edit, int ch)
{
  HirTerminal *terminal = get_terminal (edit);
  const LineInfo *info = el_line (edit);
  g_autofree char *line = g_strndup (info->buffer, (gsize) (info->cursor - info->buffer));
  g_auto (GStrv) words = hir_console_complete (terminal->console, line);
  const char *space = strrchr (line, ' ');
  const char *start = space != NULL ? space + 1 : line;
  gsize n;
  g_autofree char *more = NULL;

  if (words[0] == NULL)
    return CC_REFRESH_BEEP;
  n = count_common (words);
  if (words[1] != NULL && n <= strlen (start))
    {
      putchar ('\n');
      for (guint i = 0; words[i] != NULL; i++)
        printf ("%s%s", words[i], words[i + 1] != NULL ? "  " : "\n");
      return CC_REDISPLAY;
    }
  /* Replace the typed letters, too: their case may differ from the completion. */
  el_deletestr (edit, (int) strlen (start));
  more = words[1] != NULL ? g_strndup (words[0], n) : g_strconcat (words[0], " ", NULL);
  el_insertstr (edit, more);
  return CC_REFRESH;
}

static void
open_editor (HirTerminal *terminal)
{
  HistEvent event;

  terminal->edit = el_init ("hirscope", stdin, stdout, stderr);
  terminal->history = history_init ();
  if (terminal->edit == NULL || terminal->history == NULL)
    return;
  history (terminal->history, &event, H_SETSIZE, HISTORY_LINES);
  el_set (terminal->edit, EL_CLIENTDATA, terminal);
  el_set (terminal->edit, EL_PROMPT, get_prompt);
  el_set (terminal->edit, EL_EDITOR, "emacs");
  el_set (terminal->edit, EL_HIST, history, terminal->history);
  el_set (terminal->edit, EL_ADDFN, "hir-complete", "completes a word", complete);
  el_set (terminal->edit, EL_BIND, "^I", "hir-complete", NULL);
  el_set (terminal->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
}

static void
close_editor (HirTerminal *terminal)
{
  g_clear_pointer (&terminal->history, history_end);
  g_clear_pointer (&terminal->edit, el_end);
}

static char *
read_edited (HirTerminal *terminal)
{
  HistEvent event;
  int n;
  const char *line = el_gets (terminal->edit, &n);

  if (line == NULL || n <= 0)
    return NULL;
  if (*line != '\n')
    history (terminal->history, &event, H_ENTER, line);
  return g_strchomp (g_strdup (line));
}
#endif

HirTerminal *
hir_terminal_new (HirConsole *console, const char *prompt)
{
  HirTerminal *terminal = g_new0 (HirTerminal, 1);

  terminal->console = console;
  terminal->prompt = g_strdup (prompt);
  terminal->is_interactive = isatty (STDIN_FILENO) && isatty (STDOUT_FILENO);
#if HIR_HAVE_EDITLINE
  if (terminal->is_interactive)
    open_editor (terminal);
#endif
  return terminal;
}

void
hir_terminal_free (HirTerminal *terminal)
{
#if HIR_HAVE_EDITLINE
  close_editor (terminal);
#endif
  hir_signal_thread_free (terminal->signals);
  g_free (terminal->prompt);
  g_free (terminal);
}

gboolean
hir_terminal_is_interactive (const HirTerminal *terminal)
{
  return terminal->is_interactive;
}

char *
hir_terminal_read (HirTerminal *terminal)
{
  g_autoptr (GString) line = g_string_new (NULL);
  int ch;

#if HIR_HAVE_EDITLINE
  if (terminal->is_interactive && terminal->edit != NULL)
    return read_edited (terminal);
#endif
  if (terminal->is_interactive)
    {
      fputs (terminal->prompt, stdout);
      fflush (stdout);
    }
  while ((ch = getchar ()) != EOF && ch != '\n')
    g_string_append_c (line, (char) ch);
  if (ch == EOF && line->len == 0)
    return NULL;
  return g_strdup (line->str);
}

static void
on_interrupt (int number, gpointer user_data)
{
  HirTerminal *terminal = user_data;

  (void) number;
  terminal->stop (terminal->user_data);
}

void
hir_terminal_watch_interrupts (HirTerminal *terminal,
                               void (*stop) (gpointer user_data),
                               gpointer user_data)
{
  static const int interrupt = SIGINT;

  g_return_if_fail (terminal->signals == NULL);
  terminal->stop = stop;
  terminal->user_data = user_data;
  terminal->signals = hir_signal_thread_new (&interrupt, 1, on_interrupt, terminal);
}
