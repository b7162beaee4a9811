#include "document/session-lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int
hir_session_lock (const char *path, int flags, int how)
{
  int fd = open (path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  struct stat of_fd, of_path;

  if (fd < 0)
    return -1;
  if (flock (fd, how | LOCK_NB) == 0 && fstat (fd, &of_fd) == 0 && stat (path, &of_path) == 0 &&
      of_fd.st_ino == of_path.st_ino)
    return fd;
  close (fd);
  return -1;
}
