/* Reads printed programs back into IR: the output of nvFuser and hir_container_print(), in all
 * dialects (docs/host-ir.md#printed-form, docs/host-ir.md#reading-dumps).
 *
 * A text is one dump, possibly pasted with irregular blanks and line breaks, or a pass log: several
 * dumps with other text in between, each line possibly behind a tag of mpirun. Information that
 * dumps omit gets a default: the op of a reducing collective is a sum, the value of a pad is 0, an
 * axis that is not visible in the loop domain of a scheduled tensor gets a new number. */
#pragma once

#include "container.h"
#include "print/print.h"

G_BEGIN_DECLS

typedef struct
{
  char *pass_name; /* name in the heading before the dump (nullable) */
  char *tag;       /* prefix of each line from mpirun, without time stamps, or "" */
  HirFormat format;
  HirContainer *container; /* verified; node.pos is the line and column in the text */
  guint line;              /* first line of the dump */
} HirDump;

void hir_dump_free (HirDump *dump);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDump, hir_dump_free)

/* Returns TRUE if @text (@length bytes, or up to its NUL if -1) contains a printed program or a
 * pass log. */
gboolean hir_dump_sniff (const char *text, gssize length);

/* Returns all dumps of @source in order: an array of at least one HirDump*. A node has the same id
 * in several dumps if its kind, its printed name, and its position among nodes with that name are
 * the same. Returns NULL at the first error: HIR_ERROR_SYNTAX (what was expected, and where),
 * HIR_ERROR_INPUT (no dump, a value out of range), HIR_ERROR_UNSUPPORTED (a known construct that is
 * not supported), HIR_ERROR_INVALID_IR (from the verifier). All errors except "no dump" have a
 * position. */
GPtrArray *hir_dump_read_all (HirSource *source, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the first dump of @source and ignores the rest. @format (nullable): its dialect. */
HirContainer *
hir_dump_read (HirSource *source, HirFormat *format, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
