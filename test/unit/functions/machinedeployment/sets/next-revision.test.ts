import { expect, it } from 'vitest';
import { nextRevision } from '../../../../../functions/machinedeployment/plan/sets/next-revision.ts';
import { aMachineSet } from '../../../../support/builders.ts';

const revision = 'machinedeployment.clusters.x-k8s.io/revision';
const setWith = (number: string, history?: string) =>
  aMachineSet()
    .annotated({
      ...(number === '' ? {} : { [revision]: number }),
      ...(history && { [`${revision}-history`]: history }),
    })
    .build();

it.each([
  { own: undefined, old: [], number: '1', history: undefined, reason: 'the first MachineSet' },
  { own: undefined, old: ['1'], number: '2', history: undefined, reason: 'a new MachineSet' },
  { own: undefined, old: ['3', '12', '2'], number: '13', history: undefined, reason: 'numbers, not texts' },
  { own: undefined, old: ['x', ''], number: '1', history: undefined, reason: 'old revisions that are no numbers' },
  { own: '', old: ['2'], number: '3', history: undefined, reason: 'no own revision' },
  { own: '1', old: [], number: '1', history: undefined, reason: 'the only MachineSet' },
  { own: '1', old: ['1', '2'], number: '3', history: '1', reason: 'an earlier MachineSet is current again' },
  { own: '4', old: ['1', '2'], number: '4', history: undefined, reason: 'the own revision is the highest' },
  { own: '3', old: ['2'], number: '3', history: undefined, reason: 'the own revision is just high enough' },
  { own: '2', earlier: '1', old: ['3', '4'], number: '5', history: '1,2', reason: 'current for the third time' },
  { own: '5', earlier: '1,2', old: ['3'], number: '5', history: '1,2', reason: 'the history stays' },
  { own: '', earlier: '1', old: ['3'], number: '4', history: '1', reason: 'the history without own revision stays' },
])('$own beside $old becomes $number with history $history: $reason', ({ own, earlier, old, number, history }) => {
  const set = own === undefined ? undefined : setWith(own, earlier);
  const found = nextRevision(
    set,
    old.map(each => setWith(each)),
  );
  expect(found).toEqual({ ok: true, value: { number, history } });
});

it('a revision that is no number is an error', () => {
  expect(nextRevision(setWith('x'), [])).toEqual({
    ok: false,
    error: 'failed to parse current revision on MachineSet ns/ms1: strconv.ParseInt: parsing "x": invalid syntax',
  });
});
