/* against.h - qkv open DIR --against DIR: two checkpoints compared. */
#ifndef AGAINST_H
#define AGAINST_H

#include "driver/options.h"
#include "models/checkpoint.h"
#include "models/published.h"

/* Prints and draws how far the checkpoint that --against names is from the
   first one. Fails if their shapes differ. Returns the exit status. */
int open_against(const Options *o, const Checkpoint *c, const Published *m);

#endif
