/* Reader of printed programs: what nvFuser (and hir_container_print()) writes, in all its dialects,
 * back to IR (docs/host-ir.md#printed-form, docs/host-ir.md#reading-dumps).
 *
 * A text may be one dump, pasted with odd blanks and broken lines, or a pass log: several dumps with
 * other text between, each line maybe behind a tag of mpirun. What a dump leaves out is chosen: the op
 * of a reducing collective is a sum, the value of a pad 0, an axis that a scheduled tensor's loop domain
 * hides gets a number of its own. */
#pragma once

#include "container.h"
#include "print/print.h"

G_BEGIN_DECLS

typedef struct
{
  char *pass_name; /* nullable: what `Fusion after pass:` before it says */
  char *tag;       /* what mpirun put before each of its lines; "" where there is none */
  HirFormat format;
  HirContainer *container; /* verified; node.pos is the line and column in the text */
  guint line;              /* where the dump begins */
} HirDump;

void hir_dump_free (HirDump *dump);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDump, hir_dump_free)

/* TRUE where @text (of @length bytes; -1: up to the NUL) holds a printed program or a pass log. */
gboolean hir_dump_sniff (const char *text, gssize length);

/* Every dump of @source in order: array of HirDump*, owned, at least one. Nodes of several dumps have
 * one id where their kind, their printed name and their place among those of that name agree. NULL at
 * the first error: HIR_ERROR_SYNTAX (what was expected, and where), HIR_ERROR_INPUT (no dump at all, a
 * value out of range), HIR_ERROR_UNSUPPORTED (known and not read, by name), HIR_ERROR_INVALID_IR (the
 * verifier). Each but the first of INPUT has a position. */
GPtrArray *hir_dump_read_all (HirSource *source, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The first dump of @source; what follows it is not looked at. @format (nullable): its dialect. */
HirContainer *hir_dump_read (HirSource *source,
                             HirFormat *format,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
