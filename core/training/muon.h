/* muon.h - Muon, an optimizer for matrices. */
#ifndef MUON_H
#define MUON_H

#include "heart/model.h"

/* A step: Muon for the matrices of attention, with beta1 as its momentum; Adam
   for all other weights. */
void muon(Model *m, double rate);

#endif
