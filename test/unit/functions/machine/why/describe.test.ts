// The output of `why` for a Machine, from the objects of the management cluster.
import { describe, expect, it } from 'vitest';
import { describeMachine } from '../../../../../functions/machine/why/describe.ts';
import { findOrder } from '../../../../../local/provider/orders.ts';
import { everyNode, toRows } from '../../../../../shared/explain/tree.ts';
import { fakeReads } from '../../../../support/fake-reads.ts';
import { aMachine, bootstrapOk, infraOk, type TestObject } from '../scenario-objects.ts';
import { managementObjects, type ScenarioWorld } from '../world.ts';

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
