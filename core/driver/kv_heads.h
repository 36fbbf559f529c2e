/* kv_heads.h - qkv open DIR --kv-heads N: a checkpoint with fewer heads of keys
   and values. */
#ifndef KV_HEADS_H
#define KV_HEADS_H

#include "driver/options.h"
#include "models/checkpoint.h"
#include "models/published.h"

/* Prints how much M and N of checkpoint c, whose model is m, change in each
   layer and, with --out, writes the checkpoint. Fails if the model cannot have
   that many heads of keys and values. Returns the exit status. */
int open_kv_heads(const Options *o, const Checkpoint *c, const Published *m);

#endif
