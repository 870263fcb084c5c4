import { describe, expect, it } from 'vitest';
import { rolloutCause } from '../../../../../functions/machinedeployment/why/rollout-cause.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aMachineSet } from '../../../../support/builders.ts';
import { type FactTexts, facts, onDelete, rolling } from '../conditions/deployment-facts.ts';

const whyMachine = (name: string) => `see what the Machine waits for: npx capi-serverless why machine ns/${name}`;
const raise = 'raise maxSurge or maxUnavailable of spec.rollout.strategy.rollingUpdate, if the Machines cannot recover';

/** A set whose condition ScalingUp has this status and message. */
const blocked = (name: string, message: string, status: 'True' | 'False' = 'True') =>
  readWholeMachineSet(aMachineSet().named(name).withCondition('ScalingUp', { status, message }).build());

const causeOf = (texts: FactTexts, sets: readonly ReturnType<typeof blocked>[] = []) => {
  const { deployment, machines } = facts(texts);
  return rolloutCause({ deployment, sets, machines });
};

const good = (name: string) => `${name} Available=True UpToDate=True`;
const old = (name: string) => `${name} Available=True UpToDate=False`;

interface Case extends FactTexts {
  readonly reason: string;
  readonly pointsTo: readonly string[];
  readonly remedies: readonly string[];
}

const cases: readonly Case[] = [
  { reason: 'all is well', machines: [good('m1'), good('m2'), good('m3')], pointsTo: [], remedies: [] },
  { reason: 'there are no Machines', pointsTo: [], remedies: [] },
  {
    reason: 'the rollout is paused',
    spec: { paused: true },
    pointsTo: ['spec.paused of the MachineDeployment'],
    remedies: ['resume the rollout: clusterctl alpha rollout resume machinedeployment/md1 -n ns'],
  },
  {
    reason: 'a Machine is not ready',
    machines: ['m1 Available=False Ready=False:*_kubelet_stopped|*_disk_full'],
    pointsTo: ['Machine ns/m1, which is not available (Ready is False (Ready): kubelet stopped; disk full)'],
    remedies: [whyMachine('m1')],
  },
  {
    reason: 'a Machine is ready, and not yet available',
    machines: ['m1 Available=False:waiting'],
    pointsTo: ['Machine ns/m1, which is not available (Available is False (Available): waiting)'],
    remedies: [whyMachine('m1')],
  },
  {
    reason: 'a Machine has no conditions yet',
    machines: ['m1'],
    pointsTo: ['Machine ns/m1, which is not available'],
    remedies: [whyMachine('m1')],
  },
  {
    reason: 'a Machine is being deleted',
    machines: ['m1 deleting=1 Deleting=True:*_drain'],
    pointsTo: ['Machine ns/m1, which is being deleted (Deleting is True (Deleting): drain)'],
    remedies: [whyMachine('m1')],
  },
  {
    reason: 'three Machines wait',
    machines: ['a', 'b', 'c'],
    pointsTo: ['a', 'b', 'c'].map(name => `Machine ns/${name}, which is not available`),
    remedies: ['a', 'b', 'c'].map(whyMachine),
  },
  {
    reason: 'five Machines wait',
    machines: ['a', 'b', 'c', 'd', 'e'],
    pointsTo: [...['a', 'b', 'c'].map(name => `Machine ns/${name}, which is not available`), '2 more Machines'],
    remedies: ['a', 'b', 'c'].map(whyMachine),
  },
  {
    reason: 'no Machine more may exist, and none may be missing',
    spec: { replicas: 1 },
    machines: [old('m1'), 'm2 UpToDate=True'],
    pointsTo: [
      'Machine ns/m2, which is not available',
      'its limits: 2 of at most 2 Machines exist, 1 are available, and at least 1 must be',
    ],
    remedies: [whyMachine('m2'), raise],
  },
  {
    reason: 'another Machine may exist',
    spec: { replicas: 1, ...rolling(2, 0) },
    machines: [old('m1'), 'm2 UpToDate=True'],
    pointsTo: ['Machine ns/m2, which is not available'],
    remedies: [whyMachine('m2')],
  },
  {
    reason: 'another Machine may be unavailable',
    spec: { replicas: 1, ...rolling(0, 1) },
    machines: [old('m1')],
    pointsTo: [],
    remedies: [],
  },
  {
    reason: 'all Machines are up to date, the limits do not matter',
    spec: { replicas: 1, ...rolling(1, 0) },
    machines: [good('m1'), 'm2 UpToDate=True'],
    pointsTo: ['Machine ns/m2, which is not available'],
    remedies: [whyMachine('m2')],
  },
  {
    reason: 'spec.replicas is missing',
    spec: { replicas: undefined },
    machines: [old('m1')],
    pointsTo: [],
    remedies: [],
  },
  {
    reason: 'a user must delete Machines',
    spec: { replicas: 2, ...onDelete },
    machines: [old('m2'), old('m1'), good('m3'), 'm4 deleting=1 UpToDate=False'],
    pointsTo: [
      'Machine ns/m4, which is being deleted',
      'the strategy OnDelete: a user must delete the old Machines m1, m2',
    ],
    remedies: [whyMachine('m4'), 'delete them one after the other: kubectl delete machine -n ns m2'],
  },
  {
    reason: 'all Machines of OnDelete are replaced',
    spec: { replicas: 1, ...onDelete },
    machines: [good('m1')],
    pointsTo: [],
    remedies: [],
  },
];

describe('what stops a rollout', () => {
  it.each(cases)('is named: $reason', ({ pointsTo, remedies, reason: _, ...texts }) => {
    expect(causeOf(texts)).toEqual({ pointsTo, remedies });
  });

  it('is a preflight check', () => {
    const sets = [
      blocked('ms1', 'Scaling up from 1 to 2 replicas is blocked because:\n* control plane is upgrading'),
      blocked('ms2', 'Scaling up from 1 to 2 replicas'),
      blocked('ms3', 'Scaling up is blocked because: x', 'False'),
      readWholeMachineSet(aMachineSet().named('ms4').build()),
    ];
    expect(causeOf({}, sets)).toEqual({
      pointsTo: ['MachineSet ns/ms1: Scaling up from 1 to 2 replicas is blocked because: control plane is upgrading'],
      remedies: [
        'wait until the checks pass; the annotation machineset.cluster.x-k8s.io/skip-preflight-checks skips them',
      ],
    });
  });
});
