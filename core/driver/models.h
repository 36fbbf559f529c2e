/* models.h - the table of published models, which list and count print. */
#ifndef MODELS_H
#define MODELS_H

#include "driver/options.h"
#include "models/published.h"

/* Prints a row for each model that is known, or for that one, at the --length
   that was given, or 32,768. */
void models_print(const Published *only, const Options *o);

#endif
