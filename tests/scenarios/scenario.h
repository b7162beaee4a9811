/* Rows of the scenario tables (docs/host-ir.md#scenario-tables) as tests: a function of a script in
 * tests/data/fusions or app/examples is lowered for each device, inspected, and run on virtual
 * devices against the unlowered fusion. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;     /* "/4.6/LowerGather/0,1-to-0": table, row, and case of the row */
  const char *script;   /* relative to the source folder */
  const char *function; /* NULL: last part of the name */
  guint n_devices;
  const char *top;   /* kinds of the top level for each rank that has any (nullable) */
  const char *brief; /* program of rank @rank as returned by fix_brief() (nullable) */
  guint rank;
  const char *body;    /* kinds in the last loop (nullable) */
  const char *refusal; /* `Pass|fragment|fragment` (nullable); if set, nothing runs */
  const char *inputs;  /* shapes as for `--input` (nullable) */
  const char *passes;  /* the only passes to run; NULL: the default ones */
} Scenario;

/* Adds a case for each scenario. The names are kept for scenario_names(). */
void scenario_add (const Scenario *scenarios, guint n);
/* Adds a case with a separate function; @name as above. */
void scenario_add_func (const char *name, void (*test) (void));
/* Adds a case with a separate function and @data. */
void scenario_add_data_func (const char *name, gconstpointer data, GTestDataFunc test);
/* Returns the fusion that @function of the script defines for @n_devices. */
HirContainer *scenario_read_fusion (const char *script_path, const char *function, guint n_devices);
/* Returns the set of all added names (char*). */
GHashTable *scenario_names (void);

void add_table_4_1 (void);
void add_table_4_2 (void);
void add_table_4_6 (void);
void add_table_4_7 (void);

G_END_DECLS
