// The screens, in the order of their tabs; each is loaded when it is first shown. Its `open(place, params)` draws it
// and returns an object with leave() — stop all that runs; follow(params) — show another state; take() — what can be
// taken along.

export const SCREENS = {
  playground: {title: 'Playground', load: () => import('./playground/playground.js')},
  compare: {title: 'Compare', load: () => import('./compare/compare.js')},
  mark1: {title: 'Mark I', load: () => import('./mark1/mark1.js')},
  descent: {title: 'Gradient descent', load: () => import('./descent/descent.js')},
  truth: {title: 'Truth tables', load: () => import('./truth/truth.js')},
};
