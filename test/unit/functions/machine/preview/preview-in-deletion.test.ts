// The deletion of a Machine as `plan machine` shows it while it runs, over fake clusters.
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../../support/object-builder.ts';
import { aDeletedMachine, changed } from '../machine-pass.ts';
import { nodeOk, now } from '../scenario-objects.ts';
import { budget, daemonSet, hooked, planOf, pods, world } from './previewed-deletion.ts';

describe('a Machine that is being deleted', () => {
  it('shows the step that it is in, and what follows', async () => {
    const machine = changed(await aDeletedMachine(), {
      status: { deletion: { nodeDrainStartTime: timestamp(now - 60_000) } },
    });
    const cordoned = nodeOk().withSpec({ unschedulable: true });
    const { report } = await planOf(machine, { ...world(...pods, budget), workload: [cordoned, daemonSet, ...pods] });
    expect(report.preview?.title).toBe('The deletion of Machine ns/m1');
    expect(report.preview?.lines.slice(0, 2)).toEqual([
      '  1. pre-drain hooks: done',
      `  2. drain of the Node (now): cordons n1, then removes its Pods (no time limit, started at ${timestamp(now - 60_000)})`,
    ]);
  });

  it('is not drained after its time limit', async () => {
    const machine = changed(await aDeletedMachine(), {
      ...hooked,
      metadata: {},
      status: { deletion: { nodeDrainStartTime: timestamp(now - 601_000) } },
    });
    const { report } = await planOf(machine, world(...pods));
    expect(report.preview?.lines).toEqual([
      '  1. pre-drain hooks: done',
      '  2. drain of the Node: done',
      '  3. volumes of the Node: done',
      '  4. pre-terminate hooks: done',
      '  5. deletion of the infrastructure machine (now): FooMachine i1',
      '  6. deletion of the bootstrap config: FooConfig b1',
      '  7. deletion of the Node: n1, tried for 10 s',
    ]);
  });

  it('without Cluster waits for no Node', async () => {
    const { report } = await planOf(await aDeletedMachine(), { ...world(), cluster: null });
    expect(report.preview?.lines.slice(0, 2)).toEqual(['  1. pre-drain hooks: done', '  2. drain of the Node: done']);
  });

  it('does not drain its Node again after it waited for pre-terminate hooks', async () => {
    const machine = changed(await aDeletedMachine(), {
      ...hooked,
      status: { deletion: { waitForPreTerminateHookStartTime: timestamp(now - 60_000) } },
    });
    const { report } = await planOf(machine, world(...pods));
    expect(report.preview?.data).toMatchObject({
      deletion: {
        current: 'preDrainHooks',
        drain: { skipped: 'pre-terminate hooks have begun', rounds: [] },
      },
    });
  });

  it('begins with its hooks if a pass reports an error', async () => {
    const readFaults = [{ at: 'list Machine ns', message: 'boom' }];
    const { report } = await planOf(await aDeletedMachine(), { ...world(), readFaults });
    expect(report.preview?.data).toMatchObject({ deletion: { current: 'preDrainHooks' } });
  });

  it('waits at its drain while the look-up of its Node fails', async () => {
    const machine = changed(await aDeletedMachine(), { status: { nodeRef: null } });
    const workloadFaults = [{ at: 'list Node ', message: 'boom' }];
    const { report } = await planOf(machine, { ...world(), workloadFaults });
    expect(report.preview?.lines[1]).toBe(
      '  2. drain of the Node: waits, and what it would do is not known: the look-up of its Node failed: boom (no time limit)',
    );
  });

  it('shows nothing after its deletion is complete', async () => {
    const gone = changed(await aDeletedMachine(), { metadata: { finalizers: ['other'] } });
    const machine = {
      ...gone,
      status: { conditions: [{ type: 'Deleting', status: 'True', reason: 'DeletionCompleted', message: '' }] },
    };
    const { report } = await planOf(machine, world());
    expect(report.preview).toBeUndefined();
  });
});
