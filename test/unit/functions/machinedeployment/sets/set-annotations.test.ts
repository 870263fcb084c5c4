import { describe, expect, it } from 'vitest';
import { toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import {
  commonAnnotations,
  currentSetAnnotations,
  nextRevision,
  oldSetAnnotations,
} from '../../../../../functions/machinedeployment/plan/sets/set-annotations.ts';
import { readWholeMachineDeployment } from '../../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { aMachineDeployment, aMachineSet } from '../../../../support/builders.ts';

const md = 'machinedeployment.clusters.x-k8s.io';
const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';
const limits = toLimits({ type: 'RollingUpdate', maxSurge: 1, maxUnavailable: 0 }, 3);

describe('the annotations of a MachineSet', () => {
  it('are those of its deployment, and its numbers', () => {
    const deployment = aMachineDeployment().annotated({
      foo: 'bar',
      'machineset.cluster.x-k8s.io/skip-preflight-checks': 'All',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'cluster.x-k8s.io/conversion-data': '{}',
      [`${md}/revision`]: '7',
      [`${md}/revision-history`]: '6',
      [`${md}/desired-replicas`]: '9',
      [`${md}/max-replicas`]: '9',
    });
    expect(commonAnnotations(readWholeMachineDeployment(deployment.build()), limits)).toEqual({
      foo: 'bar',
      'machineset.cluster.x-k8s.io/skip-preflight-checks': 'All',
      [`${md}/desired-replicas`]: '3',
      [`${md}/max-replicas`]: '4',
    });
  });

  it.each([
    {
      current: { revision: { number: '2', history: undefined }, receivesFrom: [], acknowledged: undefined },
      annotations: { [`${md}/revision`]: '2', 'cluster.x-k8s.io/disable-machine-create': 'false' },
      reason: 'the revision only',
    },
    {
      current: { revision: { number: '3', history: '1' }, receivesFrom: ['ms1', 'ms2'], acknowledged: 'm1,m2' },
      annotations: {
        [`${md}/revision`]: '3',
        [`${md}/revision-history`]: '1',
        'cluster.x-k8s.io/disable-machine-create': 'false',
        [`${inPlace}/receive-machines-from-machinesets`]: 'ms1,ms2',
        [`${inPlace}/acknowledged-move`]: 'm1,m2',
      },
      reason: 'moved Machines',
    },
  ])('that is current: $reason', ({ current, annotations }) => {
    expect(currentSetAnnotations(current)).toStrictEqual(annotations);
  });

  const stored = { [`${md}/revision`]: '1', [`${md}/revision-history`]: '0', foo: 'bar' };

  it.each([
    { strategy: 'RollingUpdate', movesTo: undefined, disabled: 'false', moves: {} },
    { strategy: 'OnDelete', movesTo: undefined, disabled: 'true', moves: {} },
    {
      strategy: 'RollingUpdate',
      movesTo: 'ms2',
      disabled: 'false',
      moves: { [`${inPlace}/move-machines-to-machineset`]: 'ms2' },
    },
  ])('that is old, $strategy, moves to $movesTo', ({ strategy, movesTo, disabled, moves }) => {
    expect(oldSetAnnotations({ stored, strategy, movesTo })).toEqual({
      [`${md}/revision`]: '1',
      [`${md}/revision-history`]: '0',
      'cluster.x-k8s.io/disable-machine-create': disabled,
      ...moves,
    });
    expect(oldSetAnnotations({ stored: {}, strategy, movesTo })).toStrictEqual({
      'cluster.x-k8s.io/disable-machine-create': disabled,
      ...moves,
    });
  });
});

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
