#include "testing/report-rest.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POLL_MS 10
/* Duration of three frames. Animations draw every frame. */
#define QUIET_US 50000
#define N_SAME 2

struct _HirReportRest
{
  GtkWidget *window;
  HirDocument *document;
  HirReportRestFunc func;
  gpointer user_data;
  int fd;
  guint watch;
  guint timer;
  guint64 asked;
  gint64 busy_us;  /* monotonic time of the last computation or request */
  gint64 frame_us; /* monotonic time of the last frame */
  guint n_same;    /* number of reports without a change since the last request */
};

/* Reads state and parent from a stat file in /proc. Returns FALSE if the process has ended. The
 * process name can contain any character, so the values are searched after the last closing
 * parenthesis. */
static gboolean
read_stat (const char *path, char *state, int *parent)
{
  char text[512];
  FILE *file = fopen (path, "r");
  size_t n;
  char *end;

  if (file == NULL)
    return FALSE;
  n = fread (text, 1, sizeof text - 1, file);
  fclose (file);
  text[n] = '\0';
  end = strrchr (text, ')');
  return end != NULL && sscanf (end + 1, " %c %d", state, parent) == 2;
}

static gboolean
is_computing (char state)
{
  return state == 'R' || state == 'D';
}

static gboolean
other_thread_computes (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  long own = syscall (SYS_gettid);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_strdup_printf ("/proc/self/task/%s/stat", name);
      char state;
      int parent;

      if (strtol (name, NULL, 10) != own && read_stat (path, &state, &parent) &&
          is_computing (state))
        return TRUE;
    }
  return FALSE;
}

/* Checks child processes, such as the one that lays out a graph. */
static gboolean
child_computes (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_strdup_printf ("/proc/%s/stat", name);
      char state;
      int parent;

      if (g_ascii_isdigit (*name) && read_stat (path, &state, &parent) && parent == getpid () &&
          is_computing (state))
        return TRUE;
    }
  return FALSE;
}

/* Returns whether an overlay scroll bar is fading, which draws frames for about 1 s. */
static gboolean
scroll_bar_fades (GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return FALSE;
  if (GTK_IS_SCROLLBAR (widget))
    return gtk_widget_has_css_class (widget, "overlay-indicator") &&
           gtk_widget_get_opacity (widget) > 0 && gtk_widget_get_opacity (widget) < 1;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (scroll_bar_fades (child))
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_still (HirReportRest *self, gint64 now_us)
{
  return now_us - self->frame_us >= QUIET_US ||
         (self->n_same >= N_SAME && scroll_bar_fades (self->window));
}

/* Has the lowest priority, so that no input or idle callback is pending when it runs. */
static gboolean
check_idle (gpointer user_data)
{
  HirReportRest *self = user_data;
  gint64 now_us = g_get_monotonic_time ();

  /* Receives input that the X server has not sent yet. */
  gdk_display_sync (gtk_widget_get_display (self->window));
  /* A running program does not count: tests wait for its end explicitly. */
  if (hir_document_get_is_lowering (self->document) || other_thread_computes () ||
      (!hir_document_get_is_running (self->document) && child_computes ()))
    self->busy_us = now_us;
  if (now_us - self->busy_us < QUIET_US || !is_still (self, now_us) ||
      g_main_context_pending (NULL))
    return G_SOURCE_CONTINUE;
  self->timer = 0;
  self->func (self->asked, self->user_data);
  return G_SOURCE_REMOVE;
}

static gboolean
on_asked (int fd, GIOCondition condition, gpointer user_data)
{
  HirReportRest *self = user_data;
  char text[256];
  ssize_t n = read (fd, text, sizeof text - 1);

  (void) condition;
  if (n <= 0)
    return G_SOURCE_CONTINUE;
  text[n] = '\0';
  g_strchomp (text);
  self->asked =
      g_ascii_strtoull (strrchr (text, '\n') != NULL ? strrchr (text, '\n') + 1 : text, NULL, 10);
  self->busy_us = g_get_monotonic_time ();
  self->n_same = 0;
  if (self->timer == 0)
    self->timer = g_timeout_add_full (G_PRIORITY_LOW + 100, POLL_MS, check_idle, self, NULL);
  return G_SOURCE_CONTINUE;
}

HirReportRest *
hir_report_rest_new (const char *path,
                     GtkWidget *window,
                     HirDocument *document,
                     HirReportRestFunc func,
                     gpointer user_data)
{
  HirReportRest *self;
  struct stat status;
  /* Opened for writing, too, so that the pipe stays open when the test closes its end. */
  int fd = open (path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

  if (fd < 0)
    return NULL;
  if (fstat (fd, &status) != 0 || !S_ISFIFO (status.st_mode))
    {
      close (fd);
      return NULL;
    }
  self = g_new0 (HirReportRest, 1);
  self->window = window;
  self->document = document;
  self->func = func;
  self->user_data = user_data;
  self->fd = fd;
  self->watch = g_unix_fd_add (fd, G_IO_IN, on_asked, self);
  return self;
}

void
hir_report_rest_note_frame (HirReportRest *self)
{
  self->frame_us = g_get_monotonic_time ();
}

void
hir_report_rest_note_report (HirReportRest *self, gboolean is_same)
{
  self->n_same = is_same ? self->n_same + 1 : 0;
}

void
hir_report_rest_free (HirReportRest *self)
{
  g_clear_handle_id (&self->watch, g_source_remove);
  g_clear_handle_id (&self->timer, g_source_remove);
  close (self->fd);
  g_free (self);
}
