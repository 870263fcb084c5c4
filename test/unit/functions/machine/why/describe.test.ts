// The output of `why` for a Machine, from the objects of the management cluster.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { describeMachine, toMachineTree } from '../../../../../functions/machine/why/describe.ts';
import type { MachineSnapshot } from '../../../../../functions/machine/why/machine-snapshot.ts';
import { findOrder } from '../../../../../local/provider/orders.ts';
import type { Referred } from '../../../../../shared/explain/referred.ts';
import { everyNode, toRows } from '../../../../../shared/explain/tree.ts';
import { fakeReads } from '../../../../support/fake-reads.ts';
import { managementObjects, type ScenarioWorld } from '../machine-pass.ts';
import { aCapiCluster, aMachine, bootstrapOk, infraOk, type TestObject } from '../scenario-objects.ts';
import { inDeletion, running, snapshot, withCondition } from './snapshots.ts';

async function described(machine: TestObject, world: ScenarioWorld) {
  const reads = fakeReads(managementObjects(world), world.readFaults);
  const answer = await describeMachine(machine.build(), { reads, findOrder });
  if (!answer.ok) {
    throw new Error(answer.failure.message);
  }
  const { tree, explanation } = answer.value;
  const rows = tree === undefined ? [] : toRows(tree(everyNode));
  return { rows: rows.map(({ name, mark }) => `${name} ${mark}`), waitsFor: explanation?.waitsFor };
}

const waiting = () =>
  aMachine()
    .withStatus({ phase: 'Provisioning' })
    .withCondition('NodeReady', { status: 'False', reason: 'InspectionFailed', message: 'no Node' });

describe('why machine', () => {
  it('shows the Machine with its Cluster and the objects that it references', async () => {
    expect(await described(waiting(), { objects: [bootstrapOk(), infraOk()] })).toEqual({
      rows: ['ns/c1 unknown', 'Machine/m1 unknown', 'FooConfig/b1 ready', 'FooMachine/i1 ready', 'Node missing'],
      waitsFor: 'NodeReady',
    });
  });

  it('shows what is missing or cannot be read, and has no bootstrap config without reference', async () => {
    const machine = waiting().withSpec({ bootstrap: { dataSecretName: 'data' } });
    const readFaults = [{ at: 'get FooMachine ns/i1', message: 'boom' }];
    expect(await described(machine, { cluster: null, readFaults })).toMatchObject({
      rows: ['ns/c1 missing', 'Machine/m1 unknown', 'FooMachine/i1 failing', 'Node missing'],
    });
  });
});

describe('the tree of a Machine', () => {
  const lines = (of: MachineSnapshot) =>
    toRows(toMachineTree(of)).map(({ branch, name, mark, detail }) => `${branch}${name} ${mark} ${detail}`.trimEnd());

  it('has its Cluster, bootstrap config, infrastructure machine and Node', () => {
    const machine = running().withStatus({ phase: 'Running' }).withCondition('NodeReady').withCondition('NodeHealthy');
    const cluster = aCapiCluster().withCondition('Available').build();
    expect(lines(snapshot(machine.withCondition('Available'), { cluster }))).toEqual([
      'ns/c1 ready',
      '└─ Machine/m1 ready Running',
      '   ├─ FooConfig/b1 ready',
      '   ├─ FooMachine/i1 ready',
      '   └─ Node/n1 ready',
    ]);
  });

  it('shows what is missing, and the stage of a deletion', () => {
    const machine = inDeletion('DrainingNode', 'Drain not completed yet', running()).withCondition('NodeReady', {
      status: 'Unknown',
      reason: 'ConnectionDown',
      message: 'Last successful probe',
    });
    const none = { cluster: undefined, bootstrap: undefined } satisfies Partial<MachineSnapshot>;
    const infrastructure: Referred = { state: 'missing', kind: 'FooMachine', name: 'i1' };
    expect(lines(snapshot(machine, { ...none, infrastructure }))).toEqual([
      'ns/c1 missing Cluster cannot be read',
      '└─ Machine/m1 deleting Provisioning  DrainingNode: Drain not completed yet',
      '   ├─ FooMachine/i1 missing does not exist',
      '   └─ Node/n1 waiting ConnectionDown: Last successful probe',
    ]);
  });

  it('has no Node before one is found', () => {
    const machine: Unstructured = withCondition('NodeReady', 'InspectionFailed', 'Waiting for a Node').build();
    expect(lines({ ...snapshot(aMachine()), machine }).at(-1)).toBe(
      '   └─ Node missing InspectionFailed: Waiting for a Node',
    );
    expect(lines(snapshot(aMachine())).at(-1)).toBe('   └─ Node unknown');
  });
});
