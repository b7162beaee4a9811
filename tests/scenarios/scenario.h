/* A row of a scenario table (docs/host-ir.md#scenario-tables) as a test: a function of a script in
 * tests/data/fusions or app/examples, lowered for each device, looked at, and run on virtual
 * devices against the unlowered fusion. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;     /* "/4.6/LowerGather/0,1-to-0": table, row, and a case of the row */
  const char *script;   /* below the source folder */
  const char *function; /* NULL: the name's last part */
  guint n_devices;
  const char *top;     /* nullable: kinds of the top level, for each rank that has any */
  const char *brief;   /* nullable: the program of rank @rank, as fix_brief() has it */
  guint rank;
  const char *body;    /* nullable: kinds in the last loop */
  const char *refusal; /* nullable: `Pass|fragment|fragment`; then nothing runs */
  const char *inputs;  /* nullable: shapes, as `--input` takes them */
  const char *passes;  /* nullable: the default ones; else these alone */
} Scenario;

/* Adds a case for each; the names are kept for scenario_names(). */
void scenario_add (const Scenario *scenarios, guint n);
/* A case that is a function of its own; @name as above. */
void scenario_add_func (const char *name, void (*test) (void));
void scenario_add_data_func (const char *name, gconstpointer data, GTestDataFunc test);
/* What @function of the script defines for so many devices. */
HirContainer *
scenario_read_fusion (const char *script_path, const char *function, guint n_devices);
/* Of all that was added: a set of char*. */
GHashTable *scenario_names (void);

void add_table_4_1 (void);
void add_table_4_2 (void);
void add_table_4_6 (void);
void add_table_4_7 (void);

G_END_DECLS
