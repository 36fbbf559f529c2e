/* turn.h - how far training turns a head along directions that change nothing.

   When training moves M = W_Q W_K', many paths of (W_Q, W_K) have that product.
   One of them never moves along the gauge (gauge.h): the horizontal lift of M's
   path, here called "the lift". Gradient flow moves along its own lift. Any
   other training ends at

       W_Q = (lift's W_Q) G,   W_K = (lift's W_K) G^-T

   and this G (k x k) is the result of the optimizer's motion along the gauge.
   G = R S, with a rotation R, the turn, and a symmetric S, the stretch.

   The lift has the same M as training after each step. Its own step is a
   straight line that has no part along the gauge at its middle. Such steps
   conserve W_Q' W_Q - W_K' W_K up to rounding. To follow a lift:
   - call lift_new, fill now_q and now_k with the weights that training starts
     from, and call lift_start;
   - after each step of training, fill them again, and call lift_follow;
   - call lift_turn when the size of G is wanted.
   lifts_new, lifts_follow and lifts_turn do this for all heads of a place. */
#ifndef TURN_H
#define TURN_H

#include "heart/model.h"
#include "watch/gauge.h"

/* The lift of one head. W_Q and W_K are (rows x cols), stored row by row. */
typedef struct Lift {
    int rows, cols;
    double *now_q, *now_k; /* the present W_Q and W_K of training */
    double *q, *k;         /* the present W_Q and W_K of the lift */
    double *to_q, *to_k;   /* G^-1 and G', cols x cols: q = now_q to_q and
                              k = now_k to_k */
    double *scratch;       /* memory for 4 matrices rows x cols, then for 7
                              cols x cols */
    bool lost;             /* true if a step of training was too long to be
                              followed, or a weight became NaN */
} Lift;

/* Makes a lift with memory for all its matrices. It is never freed, because a
   process trains only one model. */
Lift lift_new(int rows, int cols);
void lift_start(Lift *l);
void lift_follow(Lift *l);

/* How large the turn R and the stretch S are. Both numbers are 0 if G is the
   identity, and NaN if the lift was lost. If k is 1, no rotation is possible,
   and the angle is 0. A plane that has turned by more than 180 degrees counts
   as turned the other way. */
typedef struct Turn {
    double angle;   /* radians: the root of the sum of the squares of R's angles
                       of rotation, one for each plane that R turns */
    double stretch; /* |log S|: the root of the sum of the squares of the
                       logarithms of S's eigenvalues */
} Turn;
Turn lift_turn(const Lift *l);

/* The lifts of all heads of a place, one for each pair (gauge.h). */
typedef struct Lifts {
    Pairs pairs;
    Lift *lift;
} Lifts;

/* Starts the lifts at the model's present weights. */
Lifts lifts_new(const Model *m, int place, int piece);

/* Follows a step of training, after it has changed the model's weights. */
void lifts_follow(Lifts *l);

/* The mean turn and stretch over the heads; NaN if the place has no pairs. */
Turn lifts_turn(const Lifts *l);

#endif
