/* Reports that other programs have changed a file. Main thread. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _HirFileWatch HirFileWatch;
typedef void (*HirFileWatchFunc) (gpointer user_data);

/* Creates a watch. @func is called some time after the last of several changes. */
HirFileWatch *hir_file_watch_new (HirFileWatchFunc func, gpointer user_data);
void hir_file_watch_free (HirFileWatch *self);
/* Watches the file @path (nullable: none) from now on. Returns TRUE if that is another file. */
gboolean hir_file_watch_set_path (HirFileWatch *self, const char *path);

G_END_DECLS
