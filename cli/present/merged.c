/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/merged.h"

static const struct object_key merged_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("profiles", COUNT),
    KEY("weight", NUMBER),
    KEY("unit", TEXT, .marks = MARK_NAMES),
    KEY("condition", TEXT, .marks = MARK_MAYBE, .note = "what the sum rests on"),
    KEY("nodes", COUNT, .note = "of the tree of stacks"),
    {0}};
static const struct object_kind merged_kind = {"merged", "of `merge` with profiles", merged_keys};

const struct object_kind *const merged_kinds[] = {&merged_kind, NULL};

/* What the sum rests on, where the files do not say it. */
static const char *condition_of(const struct fleet_answer *answer) {
  const struct stack_profile *profile = &answer->profile;
  return answer->files < 2 && !profile->torn ? NULL
         : profile->unit == STACK_WEIGHTS ? "nobody says what the numbers of these files are; the "
                                            "sum means something only if they are of one unit: "
                                            "say it with --weight"
         : profile->torn                  ? "the end of a file is missing: it was cut off on its "
                                            "way, or its sampler was killed"
         : profile->assumed               ? "the numbers of folded stacks are taken for samples at "
                                            "one rate, which the files do not say; --weight and "
                                            "--rate do"
                                          : NULL;
}

void merged_document(struct document *document, const struct fleet_answer *answer,
                     const char *file) {
  const struct stack_profile *profile = &answer->profile;
  const char *condition = condition_of(answer);
  struct text unit, text;
  document_init(document, "merge", merged_kinds);
  document_title(document, "Profiles added up");
  text_init(&unit);
  text_init(&text);
  stack_unit_append(&unit, profile);
  text_format(&text, "%s: %zu profile%s, of %llu %s in all", file, answer->files,
              answer->files == 1 ? "" : "s", (unsigned long long)profile->total, text_get(&unit));
  document_take(document, LINES_CLOSE, 0, &text);
  if (condition != NULL)
    text_format(&text, "%s: %s", file, condition);
  document_take(document, LINES_CLOSE, 0, &text);
  struct objects *merged = document_objects(document, &merged_kind);
  objects_add(merged);
  object_text(merged, "file", file);
  object_count(merged, "profiles", answer->files);
  object_number(merged, "weight", (double)profile->total);
  object_text(merged, "unit", text_get(&unit));
  if (condition != NULL)
    object_text(merged, "condition", condition);
  object_count(merged, "nodes", profile->nodes.count - 1);
  text_clear(&unit);
}
