/* What is asked of a lowering and of a run: the options of hirscope(1) as plain data, which the
 * command line fills in, a recording keeps, and the child of a run is given. */
#pragma once

#include "pipeline.h"
#include "print/print.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  HirSource *source;  /* the text to read; owned */
  char *function;     /* nullable: the only candidate */
  gint64 n_devices;   /* -1: MPI ranks, else what the script names, else 1 */
  gint64 rank;        /* -1: the lowest device of the meshes */
  HirDType dtype;     /* HIR_DTYPE_NULL: as the script says */
  HirFormat format;
  char **args;    /* "name=value"; nullable, as those below */
  char **inputs;  /* "4x8", in input order */
  char **enable;  /* pass names */
  char **disable; /* pass names */
  char **set;     /* "Pass.option=value" */
} HirRequest;

/* Defaults; keeps a reference of @source. */
HirRequest *hir_request_new (HirSource *source, const char *function /* nullable */);
HirRequest *hir_request_ref (HirRequest *request);
void hir_request_unref (HirRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRequest, hir_request_unref)
/* A copy that may be changed; one that is shared may not. */
HirRequest *hir_request_dup (const HirRequest *request);

/* For the control protocol and for recordings; a{sv}, unknown keys are ignored when reading. */
GVariant *hir_request_to_variant (const HirRequest *request);
/* NULL and HIR_ERROR_INPUT where the source is missing or a value is of another type or out of range. */
HirRequest *hir_request_new_from_variant (GVariant *variant, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The pipeline with enable, disable and set applied. HIR_ERROR_INPUT naming what is unknown. */
HirPipeline *hir_request_create_pipeline (const HirRequest *request, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Splits `FILE.py::function` (the last `::`); *@function is NULL where there is none. */
void hir_request_split_spec (const char *spec, char **path, char **function);

G_END_DECLS
