#include "bisect-json.h"

#include "command-output.h"

static const char *const verdicts[] = {
  [HIR_BISECT_SAME] = "same",
  [HIR_BISECT_RIGHT] = "right",
  [HIR_BISECT_WRONG] = "wrong",
  [HIR_BISECT_UNDECIDED] = "undecided",
  [HIR_BISECT_NOT_CHECKED] = "not_checked",
};

/* Writes the names of the passes of which one is the first incorrect one. Without a correct step,
 * that is the first step. */
static void
write_suspects (const HirBisect *bisect, HirJsonOut *json)
{
  int first = bisect->guilty == 0 ? 0 : bisect->last_right + 1;

  hir_json_out_begin (json, "first_incorrect", '[');
  for (int i = first; i <= bisect->guilty; i++)
    {
      const HirBisectStep *step = bisect->steps->pdata[i];

      if (step->verdict != HIR_BISECT_SAME)
        hir_json_out_add_string (json, NULL, step->pass_name);
    }
  hir_json_out_end (json, ']');
}

int
hir_bisect_print_json (const HirBisect *bisect)
{
  HirTextOut out;
  HirJsonOut *json = &out.json;

  hir_command_begin_output (&out);
  hir_json_out_begin (json, NULL, '{');
  hir_command_add_lines (json, "inputs", bisect->inputs);
  hir_json_out_begin (json, "passes", '[');
  for (guint i = 0; i < bisect->steps->len; i++)
    {
      const HirBisectStep *step = bisect->steps->pdata[i];

      hir_json_out_begin (json, NULL, '{');
      hir_json_out_add_string (json, "name", step->pass_name);
      hir_json_out_add_string (json, "verdict", verdicts[step->verdict]);
      hir_json_out_add_string (json, "text", step->text);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
  write_suspects (bisect, json);
  hir_json_out_add_uint (json, "undecided", bisect->n_undecided);
  hir_json_out_add_string (json, "lost_transfer", bisect->lost_transfer);
  hir_command_add_lines (json, "races", bisect->races);
  hir_json_out_end (json, '}');
  hir_text_out_add (&out, "\n");
  return hir_command_end_output (&out);
}

static void
write_instruction (const HirProgramBisect *bisect, HirJsonOut *json)
{
  g_autofree char *id = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", bisect->id);

  hir_json_out_begin (json, "first_incorrect", '{');
  hir_json_out_add_string (json, "instruction", id);
  hir_json_out_add_uint (json, "number", bisect->number);
  hir_json_out_add_string (json, "text", bisect->label);
  if (bisect->line > 0)
    hir_json_out_add_uint (json, "line", bisect->line);
  hir_json_out_add_int (json, "iteration", bisect->iteration);
  hir_json_out_add_int (json, "rank", bisect->rank);
  hir_json_out_end (json, '}');
}

int
hir_program_bisect_print_json (const HirProgramBisect *bisect)
{
  HirTextOut out;
  HirJsonOut *json = &out.json;

  hir_command_begin_output (&out);
  hir_json_out_begin (json, NULL, '{');
  hir_command_add_lines (json, "inputs", bisect->inputs);
  hir_json_out_add_int (json, "compared", bisect->n_compared);
  hir_command_add_lines (json, "outputs", bisect->outputs);
  if (bisect->id != 0)
    write_instruction (bisect, json);
  hir_command_add_lines (json, "report", bisect->report);
  hir_json_out_add_string (json, "failure", bisect->failure);
  hir_json_out_add_string (json, "races_not_searched", bisect->no_check);
  hir_command_add_lines (json, "races", bisect->races);
  hir_json_out_end (json, '}');
  hir_text_out_add (&out, "\n");
  return hir_command_end_output (&out);
}
