/* The CUDA C of the selected instruction, with its launch configuration. It is generated on a
 * worker thread when the page becomes visible. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_CUDA_TEXT (hir_cuda_text_get_type ())
G_DECLARE_FINAL_TYPE (HirCudaText, hir_cuda_text, HIR, CUDA_TEXT, GtkWidget)

GtkWidget *hir_cuda_text_new (HirSelection *selection);
/* Returns the text view for searching (borrowed). */
GtkTextView *hir_cuda_text_get_text_view (HirCudaText *self);
/* Returns the displayed code as a file for nvcc (transfer full), or NULL if there is none. @name:
 * (out) (transfer full): a name for the file. */
char *hir_cuda_text_dup_file (HirCudaText *self, char **name);

G_END_DECLS
