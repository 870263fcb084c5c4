import { describe, expect, it } from 'vitest';
import { toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import {
  commonAnnotations,
  currentSetAnnotations,
  oldSetAnnotations,
} from '../../../../../functions/machinedeployment/plan/sets/set-annotations.ts';
import { readWholeMachineDeployment } from '../../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { aMachineDeployment } from '../../../../support/builders.ts';

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
