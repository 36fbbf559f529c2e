/* muon.h - Muon, an optimizer for matrices. */
#ifndef MUON_H
#define MUON_H

#include "heart/model.h"

/* Takes one step at this learning rate: Muon for the matrices of attention,
   with the setting beta1 as its momentum, and Adam for all other weights. */
void muon(Model *m, double rate);

#endif
