/* Identity of the processes of all ranks, and whether they still run. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "run/mpi/mpi-private.h"

static void
read_line (const char *path, char *text, gsize size)
{
  g_autofree char *content = NULL;

  if (g_file_get_contents (path, &content, NULL, NULL))
    g_strlcpy (text, g_strstrip (content), size);
}

/* Reads state and start time of a process (fields 3 and 22). The name before them may contain any
 * characters. */
static gboolean
read_stat (gint64 pid, char *state, guint64 *start_time)
{
  g_autofree char *path = g_strdup_printf ("/proc/%" G_GINT64_FORMAT "/stat", pid);
  g_autofree char *content = NULL;
  g_auto (GStrv) fields = NULL;
  const char *wait_idle;

  if (!g_file_get_contents (path, &content, NULL, NULL))
    return FALSE;
  wait_idle = strrchr (content, ')');
  if (wait_idle == NULL)
    return FALSE;
  fields = g_strsplit (wait_idle + 1, " ", -1);
  if (g_strv_length (fields) < 21)
    return FALSE;
  *state = fields[1][0];
  *start_time = g_ascii_strtoull (fields[20], NULL, 10);
  return TRUE;
}

void
hir_mpi_peer_init (HirMpiPeer *peer)
{
  const char *given = g_getenv ("HIRSCOPE_HOST");
  g_autofree char *namespace = g_file_read_link ("/proc/self/ns/pid", NULL);
  char state;

  memset (peer, 0, sizeof *peer);
  g_strlcpy (peer->host, given != NULL && *given != '\0' ? given : g_get_host_name (),
             sizeof peer->host);
  read_line ("/proc/sys/kernel/random/boot_id", peer->boot_id, sizeof peer->boot_id);
  if (namespace != NULL)
    g_strlcpy (peer->pid_namespace, namespace, sizeof peer->pid_namespace);
  peer->pid = getpid ();
  if (!read_stat (peer->pid, &state, &peer->start_time))
    peer->pid_namespace[0] = '\0'; /* other ranks cannot check it */
}

gboolean
hir_mpi_peer_same_host (const HirMpiPeer *a, const HirMpiPeer *b)
{
  return strcmp (a->host, b->host) == 0 && strcmp (a->boot_id, b->boot_id) == 0;
}

gboolean
hir_mpi_peer_is_gone (const HirMpiPeer *self, const HirMpiPeer *peer)
{
  guint64 start_time;
  char state;

  if (!hir_mpi_peer_same_host (self, peer) || peer->pid_namespace[0] == '\0' ||
      strcmp (self->pid_namespace, peer->pid_namespace) != 0)
    return FALSE;
  if (!read_stat (peer->pid, &state, &start_time))
    return access ("/proc/self/stat", R_OK) == 0;
  return state == 'Z' || state == 'X' || start_time != peer->start_time;
}
