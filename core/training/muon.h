/* muon.h - Muon, an optimizer for matrices. */
#ifndef MUON_H
#define MUON_H

#include "heart/model.h"

/* Takes one step at the learning rate m->rate. The matrices of attention are
   moved by Muon, with the setting beta1 as its momentum, and all other weights
   by Adam. */
void muon(Model *m);

#endif
