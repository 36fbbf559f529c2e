/* against.h - qkv open DIR --against DIR: two checkpoints compared. */
#ifndef AGAINST_H
#define AGAINST_H

#include "driver/options.h"
#include "models/checkpoint.h"
#include "models/published.h"

/* Compares checkpoint c, whose model is m, with the one that --against names:
   prints how far they are apart and, with --draw, draws it. Fails if their
   shapes differ. Returns the exit status. */
int open_against(const Options *o, const Checkpoint *c, const Published *m);

#endif
