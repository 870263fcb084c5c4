import { expect, it } from 'vitest';
import { isUpdatingInPlace } from '../../../../shared/machine-collections/in-place-marks.ts';

const requested = 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress';
const pendingHooks = 'runtime.cluster.x-k8s.io/pending-hooks';

it.each([
  { annotations: {}, is: false, reason: 'no mark' },
  { annotations: { [requested]: '' }, is: true, reason: 'requested' },
  { annotations: { [pendingHooks]: 'A,UpdateMachine' }, is: true, reason: 'started' },
  { annotations: { [pendingHooks]: 'A' }, is: false, reason: 'another hook' },
])('a Machine is updated in place: $is ($reason)', ({ annotations, is }) => {
  expect(isUpdatingInPlace(annotations)).toBe(is);
});
