/* The strip left of a text with a triangle at each head of what folds: pointing down where it is open, right where it
 * is folded. It only draws them: clicks are taken by HirCodeFolds. */
#pragma once

#include "text/code-folds.h"

G_BEGIN_DECLS

#define HIR_TYPE_FOLD_GUTTER (hir_fold_gutter_get_type ())
G_DECLARE_FINAL_TYPE (HirFoldGutter, hir_fold_gutter, HIR, FOLD_GUTTER, GtkSourceGutterRenderer)

/* @folds is borrowed: it lives as long as the view. */
GtkSourceGutterRenderer *hir_fold_gutter_new (HirCodeFolds *folds);

G_END_DECLS
