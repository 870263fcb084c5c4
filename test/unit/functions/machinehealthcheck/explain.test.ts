// What `plan` and `why` tell about a MachineHealthCheck.

import { refused, type Unstructured } from '@capi-serverless/apimachinery';
import { blocked } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { concludeHealthCheck, whyOfHealthCheck } from '../../../../functions/machinehealthcheck/explain.ts';
import { machineHealthCheckReconciler } from '../../../../functions/machinehealthcheck/reconciler.ts';
import {
  describeHealthCheck,
  waitOfHealthCheck,
} from '../../../../functions/machinehealthcheck/why/describe-health-check.ts';
import { everyNode, toRows } from '../../../../shared/explain/tree.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { type Built, built } from '../../../support/object-builder.ts';
import { reconcileOnce, threeMachines, threeNodes } from './health-check-pass.ts';
import {
  aCapiCluster,
  aCheck,
  aFreshCheck,
  externalCheck,
  lost,
  machine,
  node,
  now,
  paused,
  request,
  template,
  triggeredBy,
  young,
} from './scenario-objects.ts';

interface Given {
  readonly cluster?: Built<Unstructured>;
  readonly machines?: readonly Built<Unstructured>[];
  readonly nodes?: readonly Built<Unstructured>[];
  readonly isConnected?: boolean;
}

async function conclusionsOf(check: Built<Unstructured>, given: Given = {}): Promise<readonly string[]> {
  const down = async () => refused({ reason: 'Unavailable', message: 'refused' });
  const workload = { ...fakeReads(given.nodes ?? threeNodes), nodes: down, resources: down };
  const reads = fakeReads([...(given.machines ?? threeMachines), given.cluster ?? aCapiCluster(), template()]);
  const workloadApi = {
    reads: () => (given.isConnected === false ? { get: down, list: down, nodes: down, resources: down } : workload),
  };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', uid: 'u', resourceVersion: '1' } };
  const get = async (ref: { readonly kind: string }) =>
    ref.kind === 'Secret'
      ? ({ ok: true, value: { ...secret, data: { value: '' } } } as const)
      : reads.get(ref as never);
  const ask = { ...reads, get: get as typeof reads.get, workloadApi };
  const { signal } = new AbortController();
  const seen = await machineHealthCheckReconciler.observe(built(check), ask, { number: 1, now, signal });
  if ('stop' in seen) {
    throw new Error('The pass stopped');
  }
  return concludeHealthCheck(seen);
}

describe('a plan', () => {
  it('tells which Machines are remediated, and which may follow', async () => {
    const nodes = [lost(1, 100), lost(2, 400), node(3)];
    expect(await conclusionsOf(aCheck(), { nodes })).toEqual([
      '1 of 3 Machines are healthy.',
      'Machine m2 is remediated by its owner.',
      'Machine m1 counts as unhealthy in 3m21s, unless it recovers.',
    ]);
    expect(await conclusionsOf(externalCheck(), { nodes })).toContain(
      'Machine m2 is remediated by the controller of its remediation request.',
    );
  });

  it('tells why none is remediated', async () => {
    const nodes = [node(1), node(2), lost(3, 400)];
    expect(await conclusionsOf(triggeredBy({ unhealthyLessThanOrEqualTo: 0 }), { nodes })).toEqual([
      '2 of 3 Machines are healthy.',
      expect.stringContaining('Remediation is not allowed'),
    ]);
    expect(await conclusionsOf(triggeredBy({ unhealthyInRange: '[2-1]' }))).toEqual([
      '3 of 3 Machines are healthy.',
      'No Machine is remediated: max value 1 cannot be less than min value 2 for unhealthyRange',
    ]);
    expect(await conclusionsOf(aCheck(), { isConnected: false })).toEqual([
      'No Machine is judged: error getting client: connection to the workload cluster is down',
    ]);
    expect(await conclusionsOf(aCheck().owners(), { cluster: aCapiCluster().named('other') })).toEqual([
      expect.stringContaining('No Machine is judged: failed to get Cluster ns/c1'),
    ]);
    expect(await conclusionsOf(aFreshCheck())).toEqual([]);
  });

  it('names the first Machines only', async () => {
    const machines = Array.from({ length: 12 }, (_, index) => young(index + 1, 100));
    expect(await conclusionsOf(aCheck(), { machines })).toHaveLength(11);
    const old = Array.from({ length: 12 }, (_, index) => young(index + 1, 900));
    expect(await conclusionsOf(aCheck(), { machines: old })).toHaveLength(11);
  });

  it('explains its writes', async () => {
    const healthy = machine(2).withCondition('HealthCheckSucceeded', { status: 'False' });
    const { actions } = await reconcileOnce(externalCheck().owners(), {
      machines: [machine(1), healthy],
      nodes: [lost(1, 400), node(2)],
      objects: [template(), request(2)],
    });
    const reasons = actions.map(action =>
      whyOfHealthCheck({ action, write: undefined, changedPaths: [], seen: blocked('') }),
    );
    expect(reasons).toEqual([
      'the MachineHealthCheck lacks the owner reference or the label of its Cluster',
      'the Machine is unhealthy, and the remediation template asks an external controller to remediate it',
      'the conditions of the Machine differ from its health',
      'the Machine is healthy again, so its remediation ends',
      'the conditions of the Machine differ from its health',
    ]);
  });
});

const restricted = () =>
  aCheck().withCondition('RemediationAllowed', { status: 'False', reason: 'TooManyUnhealthy', message: 'many' });
const counted = (currentHealthy: number) =>
  aCheck().withStatus({ expectedMachines: 2, currentHealthy, targets: ['m1', 'm2', 'm4'] });

describe('a wait', () => {
  it.each([
    { check: aFreshCheck(), until: 'its first reconcile', reason: 'a new object' },
    { check: aFreshCheck().withCondition('Paused'), until: 'its pause to end', reason: 'a pause' },
    { check: restricted(), until: 'fewer unhealthy Machines', reason: 'an open circuit' },
    { check: counted(1), until: 'its Machines to be healthy', reason: 'an unhealthy Machine' },
    { check: counted(2), until: undefined, reason: 'nothing' },
    { check: counted(2).withCondition('RemediationAllowed'), until: undefined, reason: 'nothing, while allowed' },
  ])('is for $reason', ({ check, until }) => {
    expect(waitOfHealthCheck(check.build())?.until).toBe(until);
  });

  it('shows the Machines and their remediation', async () => {
    const failing = machine(1)
      .withCondition('HealthCheckSucceeded', { status: 'False', reason: 'NodeDeleted', message: 'Node gone' })
      .withCondition('OwnerRemediated', { status: 'False', reason: 'W', message: 'Waiting' });
    const fine = machine(2).withCondition('HealthCheckSucceeded');
    const reads = fakeReads([aCapiCluster(), failing, fine, machine(3), machine(4)]);
    const answer = await describeHealthCheck(counted(1).build(), { reads });
    const description = answer.ok ? answer.value : undefined;
    expect(toRows(description?.tree?.(everyNode) ?? { name: '', mark: 'unknown', detail: '', children: [] })).toEqual([
      { branch: '', name: 'ns/c1', mark: 'unknown', detail: '' },
      { branch: '└─ ', name: 'MachineHealthCheck/h1', mark: 'unknown', detail: '1/2 healthy' },
      { branch: '   ├─ ', name: 'Machine/m1', mark: 'failing', detail: 'Node gone  OwnerRemediated: Waiting' },
      { branch: '   ├─ ', name: 'Machine/m2', mark: 'ready', detail: '' },
      { branch: '   └─ ', name: 'Machine/m4', mark: 'unknown', detail: 'not judged yet' },
    ]);
    expect(description?.explanation).toMatchObject({
      waitsFor: 'its Machines to be healthy',
      pointsTo: ['Machine m1, Node gone, OwnerRemediated: Waiting'],
      remedies: [expect.stringContaining('log of function machinehealthcheck'), expect.stringContaining('why ns/c1')],
    });
  });

  it.each([
    {
      check: aFreshCheck()
        .withCondition('Paused')
        .annotated({ [paused]: '' }),
      remedies: ['unset spec.paused', 'remove the annotation: kubectl annotate'],
    },
    { check: aFreshCheck().withCondition('Paused'), remedies: ['unset spec.paused'] },
    { check: restricted(), remedies: ['see why so many', 'to allow more'] },
  ])('has remedies $remedies', async ({ check, remedies }) => {
    const reads = fakeReads([], [{ at: 'list Machine ns', message: 'boom' }]);
    const answer = await describeHealthCheck(check.build(), { reads });
    const description = answer.ok ? answer.value : undefined;
    expect(description?.explanation?.remedies).toEqual(remedies.map(text => expect.stringContaining(text)));
    expect(description?.tree?.(everyNode)).toMatchObject({ name: 'ns/c1', mark: 'missing' });
  });

  it('for nothing has no explanation', async () => {
    const answer = await describeHealthCheck(counted(2).build(), { reads: fakeReads([]) });
    expect(answer.ok && answer.value.explanation).toBeUndefined();
  });
});
