// web.js - what a page of the web edition does: each part of a page that is alive is
// found and started here.

import {equation} from './equation.js';
import {exercisesOf} from './exercises.js';
import {slider} from './gauge.js';
import {diagram, links} from './merge.js';
import {blocks} from './run.js';

const merge = document.getElementById('merge');
if (merge)
    diagram(merge);
const gauge = document.getElementById('gauge');
if (gauge)
    slider(gauge);
const line = document.getElementById('equation');
if (line)
    equation(line);
links();
blocks();
exercisesOf(document.querySelector('main'));
