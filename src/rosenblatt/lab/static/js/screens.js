// The screens, in the order of their tabs. `open(place, params)` draws one and returns an object with
// leave() — stop all that runs; follow(params) — show another state; take() — what can be taken along.

import {open as openCompare} from './compare.js';
import {open as openDescent} from './descent.js';
import {open as openPlayground} from './playground.js';
import {open as openMark1} from './mark1.js';
import {open as openTruth} from './truth.js';

export const SCREENS = {};
SCREENS.playground = {title: 'Playground', open: openPlayground};
SCREENS.compare = {title: 'Compare', open: openCompare};
SCREENS.mark1 = {title: 'Mark I', open: openMark1};
SCREENS.descent = {title: 'Gradient descent', open: openDescent};
SCREENS.truth = {title: 'Truth tables', open: openTruth};
