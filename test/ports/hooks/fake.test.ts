// The fake extension servers of the tests and the simulation.
import { fakeHooks } from '../../support/fake-hooks.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { hooksSuite } from './suite.ts';

hooksSuite(async () => {
  const clock = new SteppedClock();
  const hooks = fakeHooks({ clock });
  const url = 'https://ext1.example:8443';
  return {
    hooks,
    clock,
    url,
    caBundle: '',
    answer: (path, answer) => hooks.answer(url, path, answer),
    underWay: () => hooks.underWay(),
    close: async () => {},
  };
});
