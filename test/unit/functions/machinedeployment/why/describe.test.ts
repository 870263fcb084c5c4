import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { describeRollout } from '../../../../../functions/machinedeployment/why/describe.ts';
import { toSentences } from '../../../../../shared/explain/explanation.ts';
import { everyNode, type Shown, toRows } from '../../../../../shared/explain/tree.ts';
import { aMachine, aMachineDeployment, aMachineSet } from '../../../../support/builders.ts';
import { fakeReads, type ReadFault } from '../../../../support/fake-reads.ts';
import { fieldsOf, testStart } from '../../../../support/object-builder.ts';

const deployment = aMachineDeployment()
  .withVersion('v1.31.0')
  .withReplicas(2)
  .withSpec({ rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } })
  .withStatus({ readyReplicas: 1, versions: [{ version: 'v1.30.0', replicas: 2 }] })
  .withCondition('Available', { status: 'False', reason: 'NotAvailable', message: '1 available' });

const controlled = { controller: true };
const controlledByOther = aMachineDeployment().named('md2').withUid('other');

/** Only the version of the template can differ from the deployment. */
function aSet(name: string, version: string, age: number) {
  return aMachineSet()
    .named(name)
    .withSpec({ template: fieldsOf(deployment.build().spec)['template'] })
    .withVersion(version)
    .withReplicas(1)
    .createdAt(testStart + age * 1000)
    .ownedBy(deployment, controlled);
}

const current = aSet('ms2', 'v1.31.0', 2)
  .withCounters({ replicas: 1, availableReplicas: 0 })
  .withCondition('MachinesReady', { status: 'False', reason: 'NotReady' })
  .withCondition('ScalingUp', { message: 'Scaling up from 0 to 1 replicas is blocked because x' });
const old = aSet('ms1', 'v1.30.0', 1)
  .withCounters({ replicas: 1, availableReplicas: 1 })
  .withCondition('MachinesReady')
  .withCondition('ScalingUp', { status: 'False', message: 'Scaling up would be is blocked because x' });
const deleting = aSet('ms0', 'v1.29.0', 0).withReplicas(0).withCounters({ replicas: 1 });
const empty = aSet('ms3', 'v1.28.0', 3).withReplicas(0).withCounters({ replicas: 0 });
const withoutStatus = aSet('ms4', 'v1.31.0', 4).withSpec({ replicas: undefined }).withCounters({ replicas: 0 });
const foreign = aMachineSet().named('foreign').ownedBy(controlledByOther, controlled);
const notControlled = aMachineSet().named('adoptable').ownedBy(deployment);

const aMember = (name: string, owner: typeof old) =>
  aMachine().named(name).labelled({ pool: 'md1' }).ownedBy(owner, controlled);
const machines = [
  aMember('m1', old).withCondition('Available').withCondition('Ready').withCondition('UpToDate', { status: 'False' }),
  aMember('m2', current).withCondition('Ready', { status: 'False', reason: 'NotReady', message: '* kubelet stopped' }),
  aMachine().named('x').labelled({ pool: 'other' }),
];
const objects = [current, old, deleting, empty, withoutStatus, foreign, notControlled, ...machines];

const wait = { until: 'its rollout to end', condition: undefined };

async function described(given: {
  readonly faults?: readonly ReadFault[];
  readonly waits?: boolean;
  readonly shown?: Shown;
}) {
  const waitOf = (primary: Unstructured) =>
    given.waits !== false && primary.metadata.name === 'md1' ? wait : undefined;
  const answer = await describeRollout(deployment.build(), { reads: fakeReads(objects, given.faults), waitOf });
  if (!answer.ok) {
    return answer.failure.message;
  }
  const { tree, explanation } = answer.value;
  const root = tree?.(given.shown ?? everyNode);
  return {
    rows:
      root === undefined
        ? []
        : toRows(root).map(({ branch, name, mark, detail }) => `${branch}${name} ${mark} ${detail}`),
    sentences: toSentences('md1', explanation),
  };
}

describe('the picture of a rollout', () => {
  it('shows MachineSets and Machines, and names what stops it', async () => {
    expect(await described({})).toEqual({
      rows: [
        'ns/md1 waiting 1/2 ready  v1.30.0 → v1.31.0  NotAvailable: 1 available',
        '├─ MachineSet/ms0 unknown 0/0 available  Version v1.29.0, v1.31.0 required',
        '├─ MachineSet/ms1 ready 1/1 available  Version v1.30.0, v1.31.0 required',
        '│  └─ Machine/m1 ready ',
        '├─ MachineSet/ms2 waiting 0/1 available  current template  Scaling up from 0 to 1 replicas is blocked because x',
        '│  └─ Machine/m2 waiting NotReady: kubelet stopped',
        '└─ MachineSet/ms4 unknown 0/0 available  current template',
      ],
      sentences: [
        'md1 waits for its rollout to end.',
        'This points to MachineSet ns/ms2: Scaling up from 0 to 1 replicas is blocked because x.',
        'This points to Machine ns/m2, which is not available (Ready is False (NotReady): kubelet stopped).',
        'What to do: wait until the checks pass; the annotation machineset.cluster.x-k8s.io/skip-preflight-checks skips them',
        'What to do: see what the Machine waits for: npx capi-serverless why machine ns/m2',
      ],
    });
  });

  it('shows the selected nodes of each list', async () => {
    const shown: Shown = nodes => nodes.slice(-1).filter(({ name }) => !name.startsWith('Machine/'));
    expect(await described({ shown })).toMatchObject({
      rows: [
        'ns/md1 waiting 1/2 ready  v1.30.0 → v1.31.0  NotAvailable: 1 available',
        '└─ MachineSet/ms4 unknown 0/0 available  current template',
      ],
    });
    const first: Shown = nodes => nodes.slice(1, 2);
    expect(await described({ shown: first })).toMatchObject({
      rows: [expect.any(String), '└─ MachineSet/ms1 ready 1/1 available  Version v1.30.0, v1.31.0 required'],
    });
  });

  it('explains nothing if the deployment does not wait', async () => {
    expect(await described({ waits: false })).toMatchObject({ sentences: ['md1 waits for nothing.'] });
  });

  it.each([{ at: 'list MachineSet ns' }, { at: 'list Machine ns' }])('fails if $at fails', async ({ at }) => {
    expect(await described({ faults: [{ at, message: 'boom' }] })).toBe('boom');
  });
});
