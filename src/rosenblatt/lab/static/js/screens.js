// The screens, in the order of their tabs. `open(place, params)` draws one and returns an object with
// leave() — stop all that runs; follow(params) — show another state; take() — what can be taken along.

export const SCREENS = {};
