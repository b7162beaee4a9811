#include "testing/report-rest.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_MS 10
/* Three frames of a screen: an animation draws one at each. */
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
  gint64 busy_us;  /* of the monotonic clock, when something was last seen to be computed or asked */
  gint64 frame_us; /* the same, when a frame was last drawn */
  guint n_same;    /* looks since then that saw the same */
};

/* The state and the parent that a stat file of /proc tells, FALSE where it has gone. The name
 * before them may hold anything: what counts comes after its closing bracket. */
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

/* A process that lays out a graph, say. */
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

/* A scroll bar that lies over what it scrolls comes and goes so slowly that only it is drawn. */
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

/* Runs behind all else that is due: neither input nor idle work is left when it does. */
static gboolean
look (gpointer user_data)
{
  HirReportRest *self = user_data;
  gint64 now_us = g_get_monotonic_time ();

  /* Input that the server has made but not sent yet comes in with its answer. */
  gdk_display_sync (gtk_widget_get_display (self->window));
  /* A run computes for as long as it likes; whoever waits for its end asks for that. */
  if (hir_document_get_is_lowering (self->document) || other_thread_computes () ||
      (!hir_document_get_is_running (self->document) && child_computes ()))
    self->busy_us = now_us;
  if (now_us - self->busy_us < QUIET_US || !is_still (self, now_us) || g_main_context_pending (NULL))
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
    self->timer = g_timeout_add_full (G_PRIORITY_LOW + 100, LOOK_MS, look, self, NULL);
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
  /* For writing too, or it would end when a test closes its end. */
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
hir_report_rest_note_look (HirReportRest *self, gboolean is_same)
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
