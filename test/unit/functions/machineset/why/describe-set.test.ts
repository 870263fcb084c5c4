import { describe, expect, it } from 'vitest';
import { describeMachineSet } from '../../../../../functions/machineset/why/describe-set.ts';
import { toSentences } from '../../../../../shared/explain/explanation.ts';
import { everyNode, type Shown, toRows } from '../../../../../shared/explain/tree.ts';
import { aMachine, aMachineSet } from '../../../../support/builders.ts';
import { fakeReads, type ReadFault } from '../../../../support/fake-reads.ts';
import { testStart } from '../../../../support/object-builder.ts';

const controlled = { controller: true };
const fine = aMachineSet()
  .named('ms1')
  .withVersion('v1.31.0')
  .withReplicas(3)
  .withCounters({ replicas: 2, availableReplicas: 1 })
  .withCondition('Paused', { status: 'False' })
  .withCondition('MachinesReady');
const blocked = fine.withCondition('ScalingUp', {
  message: 'Scaling up from 2 to 3 replicas is blocked because:\n* the control plane is upgrading',
});

const aMember = (name: string, age: number) =>
  aMachine()
    .named(name)
    .labelled({ pool: 'ms1' })
    .ownedBy(fine, controlled)
    .createdAt(testStart + age * 1000);
const machines = [
  aMember('new', 2)
    .withStatus({ phase: 'Provisioned' })
    .withCondition('Ready', { status: 'False', reason: 'NotReady', message: '* no Node' }),
  aMember('old', 1).withStatus({ phase: 'Running' }).withCondition('Available').withCondition('Ready'),
  aMember('last', 3).withCondition('Available'),
  aMachine().named('adoptable').labelled({ pool: 'ms1' }).ownedBy(fine),
  aMachine().named('foreign').labelled({ pool: 'ms1' }),
];

async function described(given: {
  readonly set?: typeof fine;
  readonly faults?: readonly ReadFault[];
  readonly shown?: Shown;
}) {
  const set = (given.set ?? blocked).build();
  const answer = await describeMachineSet(set, { reads: fakeReads(machines, given.faults) });
  if (!answer.ok) {
    return answer.failure.message;
  }
  const { tree, explanation } = answer.value;
  const root = tree?.(given.shown ?? everyNode) ?? expect.unreachable('there is a tree');
  return {
    rows: toRows(root).map(({ branch, name, mark, detail }) => `${branch}${name} ${mark} ${detail}`),
    sentences: toSentences('ms1', explanation),
  };
}

describe('the picture of a MachineSet', () => {
  it('shows its Machines, oldest first, and names what keeps it from its replicas', async () => {
    expect(await described({})).toEqual({
      rows: [
        'ns/ms1 waiting 1/3 available  v1.31.0  Scaling up from 2 to 3 replicas is blocked because: the control plane is upgrading',
        '├─ Machine/old ready Running',
        '├─ Machine/new waiting Provisioned  NotReady: no Node',
        '└─ Machine/last ready ',
      ],
      sentences: [
        'ms1 waits for more Machines.',
        'Condition ScalingUp is True (ScalingUp): Scaling up from 2 to 3 replicas is blocked because: the control plane is upgrading.',
        'This points to Machine ns/new, which is not available (Ready is False (NotReady): no Node).',
        'What to do: wait until the checks pass; the annotation machineset.cluster.x-k8s.io/skip-preflight-checks skips them',
        'What to do: see what the MachineSet references: kubectl get machineset -n ns ms1 -o yaml',
        'What to do: see what the Machine waits for: npx capi-serverless why machine ns/new',
      ],
    });
  });

  it('explains nothing if the MachineSet does not wait', async () => {
    expect(await described({ set: fine })).toMatchObject({
      rows: ['ns/ms1 ready 1/3 available  v1.31.0', expect.anything(), expect.anything(), expect.anything()],
      sentences: ['ms1 waits for nothing.'],
    });
  });

  it('shows a MachineSet without status and replicas', async () => {
    const set = aMachineSet().named('ms1').withSpec({ replicas: undefined });
    expect(await described({ set })).toMatchObject({
      rows: ['ns/ms1 unknown 0/0 available', expect.anything(), expect.anything(), expect.anything()],
    });
  });

  it('shows the selected Machines', async () => {
    expect(await described({ shown: nodes => nodes.slice(1, 2) })).toMatchObject({
      rows: [expect.any(String), '└─ Machine/new waiting Provisioned  NotReady: no Node'],
    });
  });

  it('fails if the Machines cannot be read', async () => {
    expect(await described({ faults: [{ at: 'list Machine ns', message: 'boom' }] })).toBe('boom');
  });
});
