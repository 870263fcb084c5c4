import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { MachineSnapshot } from '../../../../../functions/machine/why/machine-snapshot.ts';
import { toMachineTree } from '../../../../../functions/machine/why/machine-tree.ts';
import type { Referred } from '../../../../../shared/explain/referred.ts';
import { toRows } from '../../../../../shared/explain/tree.ts';
import { aCapiCluster, aMachine } from '../scenario-objects.ts';
import { inDeletion, running, snapshot, withCondition } from './snapshots.ts';

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
