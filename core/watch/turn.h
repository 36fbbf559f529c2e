/* turn.h - how far training turns a head along directions that change nothing.

   While M = W_Q W_K' moves, many paths of (W_Q, W_K) have that product. One of
   them has no part along the gauge (gauge.h) at any time: the horizontal lift
   of M's path. Gradient flow is its own lift. Any other training ends at

       W_Q = (lift's W_Q) G,   W_K = (lift's W_K) G^-T

   and this G, k x k, is what the optimizer's motion along the gauge has led to.
   G = R S, with R a rotation and S symmetric: R is the turn, and S the stretch.

   The lift takes the same steps as training does, each of them a straight line
   that has no part along the gauge at its middle. Such steps conserve
   W_Q' W_Q - W_K' W_K up to rounding. To use it:
   - call lift_new, fill now_q and now_k with the weights that training starts
     from, and call lift_start;
   - after each step of training, fill them again, and call lift_follow;
   - call lift_turn whenever the size of G is wanted. */
#ifndef TURN_H
#define TURN_H

#include "heart/model.h"
#include "watch/gauge.h"

typedef struct Lift {
    int rows, cols;
    double *now_q, *now_k; /* W_Q and W_K, row by row: rows x cols */
    double *q, *k;         /* the lift's W_Q and W_K */
    double *to_q, *to_k;   /* q = now_q to_q, k = now_k to_k: to_q is G^-1, and
                              to_k is G' */
    double *scratch;
    bool lost; /* a step was too long for the rounds to converge */
} Lift;

Lift lift_new(int rows, int cols);
void lift_start(Lift *l);
void lift_follow(Lift *l);

/* The size of R and of S. Both are 0 if G is the identity, and NaN if the lift
   was lost. For k = 1 there is no rotation, and the angle is 0. A plane that
   has turned by more than half a turn counts as turned the other way. */
typedef struct Turn {
    double angle;   /* radians: the root of the sum of the squares of R's angles
                       of rotation, one for each plane that R turns */
    double stretch; /* |log S|: the root of the sum of the squares of the
                       logarithms of S's eigenvalues */
} Turn;
Turn lift_turn(const Lift *l);

/* The lifts of all pairs of a place, from the model's present weights. */
typedef struct Lifts {
    Pairs pairs;
    Lift *lift;
} Lifts;
Lifts lifts_new(const Model *m, int place, int piece);
void lifts_follow(Lifts *l);

/* The mean over the heads; NaN if the place has no pairs. */
Turn lifts_turn(const Lifts *l);

#endif
