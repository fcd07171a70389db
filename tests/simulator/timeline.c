/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/simulator/timeline.h"

#include <inttypes.h>

#include "tests/simulator/value.h"

static void name_mail(struct text *text, const struct mail *mail) {
  text_append(text, mail->message->name);
  for (size_t i = 0; i < mail->message->field_count; i++)
    text_format(text, "%s%" PRId64, i == 0 ? "(" : ", ", mail->fields[i]);
  if (mail->message->field_count > 0)
    text_append(text, ")");
}

void timeline_step(struct cluster *cluster, const struct actor *actor,
                   const struct choice *choice) {
  if (cluster->tell == NULL)
    return;
  text_format(cluster->tell, "%10" PRId64 "  %s", choice->start_ns, choice->action->name);
  if (actor->role->count != NULL)
    text_format(cluster->tell, " at %" PRId64, actor->node);
  if (choice->source != SOURCE_MESSAGE)
    return;
  const struct mail *mail = &cluster->mails.data[choice->mail];
  text_append(cluster->tell, " takes ");
  name_mail(cluster->tell, mail);
  text_format(cluster->tell, " (there at %" PRId64 ", waits from %" PRId64 ")", mail->delivered_ns,
              mail->waits_from_ns);
}

void timeline_cost(struct cluster *cluster, const struct term *cost, int64_t ns) {
  if (cluster->tell == NULL)
    return;
  text_format(cluster->tell, ", %s", cost->component->name);
  for (size_t i = 0; i < cost->count; i++)
    text_format(cluster->tell, "[%" PRId64 "]", value_of(cluster, cost->args[i]));
  text_format(cluster->tell, " = %" PRId64, ns);
}

void timeline_end(struct cluster *cluster, const struct actor *actor, int64_t end_ns) {
  (void)actor;
  if (cluster->tell != NULL)
    text_format(cluster->tell, ", until %" PRId64 "\n", end_ns);
}

void timeline_send(struct cluster *cluster, const struct mail *mail) {
  if (cluster->tell == NULL)
    return;
  text_append(cluster->tell, "              sends ");
  name_mail(cluster->tell, mail);
  text_format(cluster->tell, mail->doomed ? ", which is lost\n" : ", there at %" PRId64 "\n",
              mail->delivered_ns);
}

void timeline_cluster(struct text *text, const struct cluster *cluster) {
  const struct model *model = cluster->model;
  for (size_t i = 0; i < model->params.count; i++)
    text_format(text, "%s = %" PRId64 "  ", model->params.items[i]->name, cluster->params[i]);
  for (size_t i = 0; i < model->components.count; i++)
    text_format(text, "%s = %" PRId64 "  ", model->components.items[i]->name, cluster->limits[i]);
  text_append(text, "\n");
}
