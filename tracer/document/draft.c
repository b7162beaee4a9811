#include "document/draft.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "document/session-lock.h"

#define SUFFIX ".draft"
#define NEW_SUFFIX ".new" /* while it is written */
#define LOCK_SUFFIX ".lock"
#define MAX_BYTES ((gsize) 4 << 20)
#define MAX_LEFT 20
#define MAX_AGE_US ((gint64) 30 * 24 * 60 * 60 * G_USEC_PER_SEC)

struct _HirDraft
{
  char *folder;
  char *path; /* NULL until the draft is stored for the first time */
  char *lock_path;
  int lock;
};

static char *
dup_folder (const char *folder)
{
  return folder != NULL ? g_strdup (folder)
                        : g_build_filename (g_get_user_state_dir (), "hirscope", "drafts", NULL);
}

void
hir_left_draft_free (HirLeftDraft *self)
{
  g_clear_pointer (&self->request, hir_request_unref);
  g_free (self->path);
  g_free (self->file);
  g_free (self->base);
  g_free (self);
}

/* Deletes all files that a session has left. */
static void
delete_files (const char *base)
{
  static const char *const suffixes[] = { SUFFIX, SUFFIX NEW_SUFFIX, LOCK_SUFFIX };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *path = g_strconcat (base, suffixes[i], NULL);

      g_unlink (path);
    }
}

void
hir_left_draft_delete (HirLeftDraft *self)
{
  g_autofree char *base = g_strndup (self->path, strlen (self->path) - strlen (SUFFIX));

  delete_files (base);
}

/* Returns NULL if the draft at @path (taken) does not exist or is damaged. */
static HirLeftDraft *
read_left (char *path)
{
  g_autoptr (HirLeftDraft) self = g_new0 (HirLeftDraft, 1);
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr (GVariant) variant = NULL, request = NULL;
  g_autofree char *text = NULL;

  self->path = path;
  if (g_file_get_contents (path, &text, NULL, NULL))
    variant = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  if (variant == NULL)
    return NULL;
  g_variant_dict_clear (&dict);
  g_variant_dict_init (&dict, variant);
  request = g_variant_dict_lookup_value (&dict, "request", G_VARIANT_TYPE_VARDICT);
  if (request == NULL || !g_variant_dict_lookup (&dict, "time-us", "x", &self->time_us))
    return NULL;
  self->request = hir_request_new_from_variant (request, NULL);
  g_variant_dict_lookup (&dict, "file", "s", &self->file);
  g_variant_dict_lookup (&dict, "base", "s", &self->base);
  return self->request != NULL ? g_steal_pointer (&self) : NULL;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const HirLeftDraft *x = *(HirLeftDraft *const *) a, *y = *(HirLeftDraft *const *) b;

  return (x->time_us < y->time_us) - (x->time_us > y->time_us);
}

/* Returns the drafts of ended sessions, newest first: HirLeftDraft*. Deletes the files of those
 * without a draft. */
static GPtrArray *
list (const char *folder)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_left_draft_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *lock = g_build_filename (folder, name, NULL);
      g_autofree char *base = NULL;
      HirLeftDraft *left;
      int fd;

      if (!g_str_has_suffix (name, LOCK_SUFFIX) || (fd = hir_session_lock (lock, 0, LOCK_SH)) < 0)
        continue;
      base = g_strndup (lock, strlen (lock) - strlen (LOCK_SUFFIX));
      left = read_left (g_strconcat (base, SUFFIX, NULL));
      if (left != NULL)
        g_ptr_array_add (found, left);
      else
        delete_files (base);
      close (fd);
    }
  g_ptr_array_sort (found, compare_times);
  return found;
}

/* Returns whether @draft is of @file or, if that is NULL, was made to @source (nullable: any). */
static gboolean
is_of (const HirLeftDraft *draft, const char *file, const HirSource *source)
{
  if (file != NULL)
    return g_strcmp0 (draft->file, file) == 0;
  return source == NULL ||
         (draft->file == NULL && g_str_equal (draft->request->source->path, source->path) &&
          g_strcmp0 (draft->base, source->text) == 0);
}

static gboolean
has_same_document (const HirLeftDraft *a, const HirLeftDraft *b)
{
  return g_strcmp0 (a->file, b->file) == 0 &&
         g_str_equal (a->request->source->path, b->request->source->path);
}

/* Returns the newest of the drafts of each document (borrowed), newest first. */
static GPtrArray *
list_documents (GPtrArray *found)
{
  GPtrArray *newest = g_ptr_array_new ();

  for (guint i = 0; i < found->len; i++)
    {
      gboolean is_known = FALSE;

      for (guint k = 0; k < newest->len && !is_known; k++)
        is_known = has_same_document (newest->pdata[k], found->pdata[i]);
      if (!is_known)
        g_ptr_array_add (newest, found->pdata[i]);
    }
  return newest;
}

/* Returns the newest draft of the document after that of @before (nullable), and counts the
 * others. Frees @found. */
static HirLeftDraft *
take_next (GPtrArray *found, const HirLeftDraft *before)
{
  g_autoptr (GPtrArray) documents = list_documents (found);
  HirLeftDraft *next = NULL;
  guint at = 0;

  for (guint i = 0; i < documents->len && before != NULL; i++)
    if (has_same_document (documents->pdata[i], before))
      at = (i + 1) % documents->len;
  if (documents->len > 0)
    {
      next = documents->pdata[at];
      next->n_others = documents->len - 1;
      for (guint i = 0; i < found->len; i++)
        next->n_older += found->pdata[i] != next && has_same_document (next, found->pdata[i]);
      g_ptr_array_find (found, next, &at);
      g_ptr_array_steal_index (found, at);
    }
  g_ptr_array_unref (found);
  return next;
}

HirLeftDraft *
hir_left_draft_find (const char *folder, const char *file, const HirSource *source)
{
  g_autofree char *path = dup_folder (folder);
  GPtrArray *found = list (path);

  for (guint i = found->len; i-- > 0;)
    if (!is_of (found->pdata[i], file, source))
      g_ptr_array_remove_index (found, i);
  return take_next (found, NULL);
}

HirLeftDraft *
hir_left_draft_find_next (const char *folder, const HirLeftDraft *draft)
{
  g_autofree char *path = dup_folder (folder);

  return take_next (list (path), draft);
}

static void
clean (const char *folder)
{
  g_autoptr (GPtrArray) found = list (folder);

  for (guint i = 0; i < found->len; i++)
    if (i >= MAX_LEFT ||
        g_get_real_time () - ((HirLeftDraft *) found->pdata[i])->time_us > MAX_AGE_US)
      hir_left_draft_delete (found->pdata[i]);
}

HirDraft *
hir_draft_new (const char *folder)
{
  HirDraft *self = g_new0 (HirDraft, 1);

  self->folder = dup_folder (folder);
  self->lock = -1;
  return self;
}

void
hir_draft_free (HirDraft *self)
{
  hir_draft_set (self, NULL, NULL, NULL);
  if (self->lock >= 0)
    {
      g_unlink (self->lock_path);
      close (self->lock);
    }
  g_free (self->folder);
  g_free (self->path);
  g_free (self->lock_path);
  g_free (self);
}

/* Chooses a name and locks it. Returns FALSE if that is not possible. */
static gboolean
prepare (HirDraft *self)
{
  g_autofree char *name = NULL;
  g_autofree char *base = NULL;

  if (self->lock >= 0)
    return TRUE;
  if (g_mkdir_with_parents (self->folder, 0700) != 0)
    return FALSE;
  clean (self->folder);
  name = g_strdup_printf ("%d-%08x", (int) getpid (), g_random_int ());
  base = g_build_filename (self->folder, name, NULL);
  g_free (self->lock_path);
  self->lock_path = g_strconcat (base, LOCK_SUFFIX, NULL);
  self->lock = hir_session_lock (self->lock_path, O_CREAT | O_EXCL, LOCK_EX);
  g_free (self->path);
  self->path = g_strconcat (base, SUFFIX, NULL);
  return self->lock >= 0;
}

static char *
dup_text (HirRequest *request, const char *file, const char *base)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr (GVariant) variant = NULL;

  g_variant_dict_insert_value (&dict, "request", hir_request_to_variant (request));
  g_variant_dict_insert (&dict, "time-us", "x", g_get_real_time ());
  if (file != NULL)
    g_variant_dict_insert (&dict, "file", "s", file);
  if (base != NULL && strlen (base) <= MAX_BYTES && g_utf8_validate (base, -1, NULL))
    g_variant_dict_insert (&dict, "base", "s", base);
  variant = g_variant_ref_sink (g_variant_dict_end (&dict));
  return g_variant_print (variant, TRUE);
}

void
hir_draft_set (HirDraft *self, HirRequest *request, const char *file, const char *base)
{
  g_autofree char *text = NULL;
  g_autofree char *temporary = NULL;

  if (request == NULL || strlen (request->source->text) > MAX_BYTES)
    {
      if (self->path != NULL)
        g_unlink (self->path);
      return;
    }
  if (!prepare (self))
    return;
  text = dup_text (request, file, base);
  temporary = g_strconcat (self->path, NEW_SUFFIX, NULL);
  /* Not synchronized to the disk, which could block for long: this is for crashes of the program.
   */
  if (!g_file_set_contents_full (temporary, text, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL) ||
      g_rename (temporary, self->path) != 0)
    g_unlink (temporary);
}
