/* A request: the options of one lowering or run as plain data. The command line creates it,
 * recordings store it, and the run process receives it. */
#pragma once

#include "pipeline.h"
#include "print/print.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  HirSource *source;   /* the text to read; owned */
  gboolean is_example; /* @source is that of an example, or was edited from it */
  char *edited_from;   /* nullable: SHA-256 of the text that @source was edited from */
  char *function;      /* NULL: the only candidate of the script */
  gint64 n_devices;    /* -1: number of MPI ranks, else the devices in the script, else 1 */
  gint64 rank;         /* -1: the lowest device of the meshes */
  HirDType dtype;      /* HIR_DTYPE_NULL: the types in the script */
  HirFormat format;
  HirPipelineKind pipeline;
  gboolean format_given;   /* FALSE: the format follows the pipeline */
  gboolean pipeline_given; /* FALSE: the script may select the pipeline */
  char **args;             /* "name=value"; this and the lists below are nullable */
  char **inputs;           /* "4x8", in input order */
  char **enable;           /* pass names */
  char **disable;          /* pass names */
  char **set;              /* "Pass.option=value" */
} HirRequest;

/* Creates a request with default options. References @source. */
HirRequest *hir_request_new (HirSource *source, const char *function /* nullable */);
HirRequest *hir_request_ref (HirRequest *request);
void hir_request_unref (HirRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRequest, hir_request_unref)
/* Returns a copy, which may be changed until it is shared. */
HirRequest *hir_request_dup (const HirRequest *request);

/* Returns whether @request has the text of an example, `example:FUNCTION`. */
gboolean hir_request_has_example_text (const HirRequest *request);

/* Serializes @request as a{sv} (floating), for the control protocol and recordings. */
GVariant *hir_request_to_variant (const HirRequest *request);
/* Reads a{sv} and ignores unknown keys. Returns NULL with HIR_ERROR_INPUT if the source is
 * missing or a value has the wrong type or is out of range. */
HirRequest *
hir_request_new_from_variant (GVariant *variant, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Creates a pipeline with enable, disable and set applied. Returns NULL with HIR_ERROR_INPUT if a
 * name or value is unknown. */
HirPipeline *
hir_request_create_pipeline (const HirRequest *request, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Checks enable, disable and set. If no pipeline is given, names of both are valid. Returns FALSE
 * with HIR_ERROR_INPUT if a name or value is unknown. */
gboolean hir_request_check (const HirRequest *request, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Sets the pipeline that the script selects, unless one is given, and its format; for the one of
 * 2026, also the option insert_resharding_after. */
void hir_request_select (HirRequest *request, HirPipelineKind pipeline, gboolean resharding_after);

/* Splits `FILE.py::function` at the last `::`. Sets @function to NULL if there is none. */
void hir_request_split_spec (const char *spec, char **path, char **function);

G_END_DECLS
