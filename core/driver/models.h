/* models.h - the table of published models, which list and count print. */
#ifndef MODELS_H
#define MODELS_H

#include "models/published.h"
#include "page/escape.h"
#include "run/request.h"

/* The --length that was given, or 32,768. */
int model_tokens(const Request *r);

/* Prints a row for each of `count` models, at so many tokens. */
void models_print(const Published *models, int count, int tokens,
                  Layout layout);

#endif
