import { expect, it } from 'vitest';
import { toText } from './differences.ts';

const scenario = { folder: 'c01-no-refs', title: 'a Cluster without any reference' };

it('begins with the scenario, the object, the field, both values and the command that replays the scenario', () => {
  const path = 'created: Cluster/c1.status.conditions[Available].message';
  const text = toText(
    scenario,
    [{ path, expected: '* a\n* b', actual: '* a' }, { path: 'writes.create.Secret' }],
    'a.test.ts',
  );
  expect(text.split('\n')).toEqual([
    'c01-no-refs (a Cluster without any reference) differs from upstream in 2 place(s)',
    'scenario  c01-no-refs, snapshot "created"',
    'object    Cluster/c1',
    'field     status.conditions[Available].message',
    'expected  * a',
    '            * b',
    'actual    * a',
    "replay    CAPI_PARITY_SCENARIOS='^c01-no-refs$' npx vitest run a.test.ts",
    'writes.create.Secret',
    '  expected (absent)',
    '  actual   (absent)',
  ]);
});

it.each([
  ['created: Cluster/c1', 'Cluster/c1', '(the object)'],
  ['created: Secret/c1-<Kind:1>.labels', 'Secret/c1-<Kind:1>', 'labels'],
  ['created: events: Cluster/c1 Normal Made: it (capi)', 'events', 'Cluster/c1 Normal Made: it (capi)'],
  ['writes.create.Secret', 'writes', 'create.Secret'],
  ['errors[0].error', 'errors', '[0].error'],
])('finds the object and the field in %s', (path, object, field) => {
  const lines = toText(scenario, [{ path, expected: true }], 'a.test.ts').split('\n');
  expect(lines.slice(2, 5)).toEqual([`object    ${object}`, `field     ${field}`, 'expected  true']);
});

it('is empty without differences', () => {
  expect(toText(scenario, [], 'a.test.ts')).toBe('');
});
