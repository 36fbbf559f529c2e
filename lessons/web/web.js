// web.js - starts each part of a page of the web edition that does something.

import {equation} from './equation.js';
import {exercisesOf} from './exercises.js';
import {gauge} from './gauge.js';
import {heads} from './heads.js';
import {diagram, links} from './merge.js';
import {motion} from './motion.js';
import {growing} from './rank.js';
import {blocks} from './run.js';

const merge = document.getElementById('merge');
if (merge)
    diagram(merge);
const line = document.getElementById('equation');
if (line)
    equation(line);
for (const [name, moving] of [['gauge-frames', gauge], ['heads-sum', heads], ['rank-grows', growing]]) {
    const picture = document.querySelector(`main figure > img[src$="/${name}.svg"]`);
    if (picture)
        motion(picture, moving);
}
links();
blocks();
exercisesOf(document.querySelector('main'));
