import { expect, it } from 'vitest';
import { selectConditions } from '../../../../../packages/cluster-api/conditions/select.ts';

const object = { status: { conditions: [{ type: 'A', status: 'True' }, { type: 'B' }, 'text', { status: 'True' }] } };

it.each([
  { reason: 'a wanted type', path: 'status.conditions', wanted: ['A'], found: [{ type: 'A', status: 'True' }] },
  { reason: 'no wanted type', path: 'status.conditions', wanted: [], found: [] },
  {
    reason: 'items without a type',
    path: 'status.conditions',
    wanted: [undefined],
    found: ['text', { status: 'True' }],
  },
  { reason: 'a missing list', path: 'status.others', wanted: [undefined], found: [] },
  { reason: 'another value than a list', path: 'status', wanted: [undefined], found: [] },
])('returns the items of $reason', ({ path, wanted, found }) => {
  expect(selectConditions(object, path, type => wanted.some(each => each === type))).toEqual(found);
});
