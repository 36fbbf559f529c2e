/* muon.h - Muon, an optimizer for matrices. */
#ifndef MUON_H
#define MUON_H

#include "heart/model.h"

/* Takes one step: Muon for the matrices of attention, with beta1 as its
   momentum, and Adam for all other weights. */
void muon(Model *m, double rate);

#endif
