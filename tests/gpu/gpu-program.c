#include "gpu-program.h"

HirProgram *
gpu_program_open (const char *path, guint n_ranks)
{
  GError *error = NULL;
  HirSource *source = hir_source_load (path, &error);
  HirRequest *request;
  HirProgram *program;

  if (source == NULL)
    g_error ("%s", error->message);
  request = hir_request_new (source, "ag_matmul");
  request->n_devices = n_ranks;
  request->rank = 0;
  program = hir_program_new (request, NULL, NULL, &error);
  if (program == NULL || program->error != NULL)
    g_error ("%s", program == NULL ? error->message : program->error->message);
  return program;
}
