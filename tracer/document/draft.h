/* Unsaved texts, stored in the user's state folder (hirscope/drafts) so that they survive a crash.
 * Each window writes a file NAME.draft and locks a file NAME.lock. A draft whose lock is free was
 * left by a session that has ended. At most 20 of these stay, for 30 days. Main thread. */
#pragma once

#include "program/request.h"

G_BEGIN_DECLS

/* The draft of a window. */
typedef struct _HirDraft HirDraft;

/* Creates a draft in @folder (nullable: the default folder). Nothing is written yet. */
HirDraft *hir_draft_new (const char *folder);
/* Deletes the draft from disk, too. */
void hir_draft_free (HirDraft *self);

/**
 * hir_draft_set:
 * @request: (nullable): what the window edits; NULL deletes the draft
 * @file: (nullable): path of the file that was opened, or NULL if the text has none
 * @base: (nullable): the text when it was opened or saved last
 *
 * Replaces the stored draft atomically. A text of more than 4 MiB is not stored. Errors are
 * ignored: the text is still in memory.
 */
void hir_draft_set (HirDraft *self, HirRequest *request, const char *file, const char *base);

/* The draft of a session that has ended. */
typedef struct
{
  char *path; /* of the draft */
  char *file; /* nullable: path of the file that was opened */
  char *base; /* nullable: the text then, also without a file */
  HirRequest *request;
  gint64 time_us; /* when it was stored, since 1970 */
  guint n_older;  /* other drafts of the same document that match, too */
  guint n_others; /* other documents with drafts that match */
} HirLeftDraft;

/**
 * hir_left_draft_find:
 * @folder: (nullable): see hir_draft_new()
 * @file: (nullable): path of a file
 * @source: (nullable): if @file is NULL, a text without a file, such as that of an example or a
 *   recording
 *
 * Returns: (transfer full): the newest draft for @file or with changes of @source, or the newest of
 * all if both are NULL; NULL if there is none
 */
HirLeftDraft *hir_left_draft_find (const char *folder, const char *file, const HirSource *source);
/* Returns the newest draft of the document that follows that of @draft, in a circle (transfer
 * full), or NULL if there is none. */
HirLeftDraft *hir_left_draft_find_next (const char *folder, const HirLeftDraft *draft);
/* Deletes the draft from disk. */
void hir_left_draft_delete (HirLeftDraft *self);
void hir_left_draft_free (HirLeftDraft *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLeftDraft, hir_left_draft_free)

G_END_DECLS
