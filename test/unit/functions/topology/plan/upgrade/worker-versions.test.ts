import { describe, expect, it } from 'vitest';
import type { ControlPlaneProgress } from '../../../../../../functions/topology/plan/upgrade/version-progress.ts';
import {
  decideWorkers,
  isStable,
  type WorkerFacts,
} from '../../../../../../functions/topology/plan/upgrade/worker-versions.ts';
import { aMachineDeployment, aMachinePool } from '../../../../../support/builders.ts';
import { blockingResponse, goOn } from '../../../../../support/topology-upgrade.ts';

const arrived: ControlPlaneProgress = {
  version: 'v1.31.0',
  isProvisioning: false,
  isUpgrading: false,
  isStartingUpgrade: false,
  isPendingUpgrade: false,
  isWaitingForWorkersUpgrade: true,
  upgradePlan: [],
};

const hold = 'topology.cluster.x-k8s.io/hold-upgrade-sequence';
const defer = 'topology.cluster.x-k8s.io/defer-upgrade';

interface Worker {
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The version. "" means that the object does not exist yet. */
  readonly version?: string;
}

interface Given extends Partial<Omit<WorkerFacts, 'topologies' | 'current'>> {
  readonly workers: readonly Worker[];
}

/** The name of an object consists of `c1-` and its topology name. */
function decide({ workers, kind = 'MachineDeployment', ...facts }: Given) {
  const builder = kind === 'MachineDeployment' ? aMachineDeployment() : aMachinePool();
  const decided = decideWorkers({
    kind,
    topologyVersion: 'v1.31.0',
    topologies: workers.map(({ name, annotations = {} }) => ({ name, metadata: { labels: {}, annotations } })),
    current: new Map(
      workers
        .filter(({ version }) => version !== '')
        .map(({ name, version = 'v1.30.0' }) => [
          name,
          { object: builder.named(`c1-${name}`).withVersion(version).build() },
        ]),
    ),
    upgrading: new Set(),
    plan: ['v1.31.0'],
    concurrency: 1,
    controlPlane: arrived,
    responses: new Map(),
    ...facts,
  });
  if (!decided.ok) {
    return decided.error;
  }
  const { versions, upgrading, pendingUpgrade, deferredUpgrade, pendingCreate } = decided.value;
  return {
    versions: Object.fromEntries(versions),
    ...reported('upgrading', upgrading),
    ...reported('pending', pendingUpgrade),
    ...reported('deferred', deferredUpgrade),
    ...reported('create', pendingCreate),
  };
}

function reported(what: string, names: ReadonlySet<string>) {
  return names.size === 0 ? {} : { [what]: [...names] };
}

const three = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

describe('the versions of workers', () => {
  it.each<Given & { readonly reason: string; readonly outcome: object | string }>([
    {
      reason: 'a new one at the version of the topology',
      workers: [{ name: 'a', version: '' }],
      outcome: { versions: { a: 'v1.31.0' } },
    },
    {
      reason: 'a new one waits for the control plane',
      workers: [{ name: 'a', version: '' }],
      controlPlane: { ...arrived, isUpgrading: true },
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: 'a new one waits for a control plane that runs nothing yet',
      workers: [{ name: 'a', version: '' }],
      controlPlane: { ...arrived, isProvisioning: true },
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: 'a new one waits for a control plane that waits itself',
      workers: [{ name: 'a', version: '' }],
      controlPlane: { ...arrived, isPendingUpgrade: true },
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: 'a new one waits for AfterControlPlaneUpgrade',
      workers: [{ name: 'a', version: '' }],
      responses: new Map([['AfterControlPlaneUpgrade', blockingResponse()]]),
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: 'a new one waits for BeforeWorkersUpgrade',
      workers: [{ name: 'a', version: '' }],
      responses: new Map([['BeforeWorkersUpgrade', blockingResponse()]]),
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: 'one that is there, whatever annotations it has',
      workers: [{ name: 'a', version: 'v1.31.0', annotations: { [defer]: '' } }],
      outcome: { versions: { a: 'v1.31.0' } },
    },
    {
      reason: 'a deferred one is passed over',
      workers: [{ name: 'a' }, { name: 'b', annotations: { [defer]: 'false' } }, { name: 'c' }],
      concurrency: 3,
      outcome: {
        versions: { a: 'v1.31.0', b: 'v1.30.0', c: 'v1.31.0' },
        upgrading: ['c1-a', 'c1-c'],
        pending: ['c1-b'],
        deferred: ['c1-b'],
      },
    },
    {
      reason: 'a sequence is blocked from there on',
      workers: [{ name: 'a' }, { name: 'b', annotations: { [hold]: '' } }, { name: 'c' }],
      concurrency: 3,
      outcome: {
        versions: { a: 'v1.31.0', b: 'v1.30.0', c: 'v1.30.0' },
        upgrading: ['c1-a'],
        pending: ['c1-b', 'c1-c'],
        deferred: ['c1-b', 'c1-c'],
      },
    },
    {
      reason: 'a sequence is blocked by one that is there itself',
      workers: [{ name: 'a', version: 'v1.31.0', annotations: { [hold]: '' } }, { name: 'b' }],
      outcome: { versions: { a: 'v1.31.0', b: 'v1.30.0' }, pending: ['c1-b'], deferred: ['c1-b'] },
    },
    {
      reason: 'AfterControlPlaneUpgrade blocks',
      workers: [{ name: 'a' }],
      responses: new Map([['AfterControlPlaneUpgrade', blockingResponse()]]),
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: 'BeforeWorkersUpgrade blocks',
      workers: [{ name: 'a' }],
      responses: new Map([['BeforeWorkersUpgrade', blockingResponse()]]),
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: 'hooks that do not block',
      workers: [{ name: 'a' }],
      responses: new Map([
        ['AfterControlPlaneUpgrade', goOn],
        ['BeforeWorkersUpgrade', goOn],
        ['AfterWorkersUpgrade', blockingResponse()],
      ]),
      outcome: { versions: { a: 'v1.31.0' }, upgrading: ['c1-a'] },
    },
    {
      reason: 'one at a time',
      workers: three,
      outcome: {
        versions: { a: 'v1.31.0', b: 'v1.30.0', c: 'v1.30.0' },
        upgrading: ['c1-a'],
        pending: ['c1-b', 'c1-c'],
      },
    },
    {
      reason: 'not even one while one is under way',
      workers: [{ name: 'a', version: 'v1.31.0' }, { name: 'b' }],
      upgrading: new Set(['c1-a']),
      outcome: { versions: { a: 'v1.31.0', b: 'v1.30.0' }, upgrading: ['c1-a'], pending: ['c1-b'] },
    },
    {
      reason: 'two at a time',
      workers: three,
      concurrency: 2,
      outcome: {
        versions: { a: 'v1.31.0', b: 'v1.31.0', c: 'v1.30.0' },
        upgrading: ['c1-a', 'c1-b'],
        pending: ['c1-c'],
      },
    },
    {
      reason: 'the control plane is on its way',
      workers: [{ name: 'a' }],
      controlPlane: { ...arrived, isUpgrading: true },
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: 'the control plane is about to go',
      workers: [{ name: 'a' }],
      controlPlane: { ...arrived, isStartingUpgrade: true },
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: 'the control plane wishes to go, and does not wait for them',
      workers: [{ name: 'a' }],
      controlPlane: { ...arrived, isPendingUpgrade: true, isWaitingForWorkersUpgrade: false },
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: 'the control plane wishes to go, and waits for them',
      workers: [{ name: 'a', version: 'v1.28.0' }],
      plan: ['v1.30.0', 'v1.31.0'],
      controlPlane: { ...arrived, isPendingUpgrade: true },
      outcome: { versions: { a: 'v1.30.0' }, upgrading: ['c1-a'] },
    },
    {
      reason: 'there is no plan',
      workers: [{ name: 'a' }],
      plan: [],
      outcome:
        'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "a": cannot compute the machine deployment version if the machine deployment is pending upgrade and the upgrade plan is not set',
    },
    {
      reason: 'there is no plan for pools',
      kind: 'MachinePool',
      workers: [{ name: 'a' }],
      plan: [],
      outcome:
        'failed to compute MachinePools: failed to compute MachinePool for topology "a": cannot compute the machine pool version if the machine pool is pending upgrade and the upgrade plan is not set',
    },
    {
      reason: 'one that waits for the next step of the control plane',
      workers: [{ name: 'a', version: 'v1.30.0' }],
      plan: ['v1.30.0', 'v1.31.0'],
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: 'a pool',
      kind: 'MachinePool',
      workers: [{ name: 'a' }],
      outcome: { versions: { a: 'v1.31.0' }, upgrading: ['c1-a'] },
    },
  ])('$reason', ({ outcome, ...given }) => {
    expect(decide(given)).toEqual(outcome);
  });
});

describe('a control plane', () => {
  it.each(['isProvisioning', 'isUpgrading', 'isStartingUpgrade', 'isPendingUpgrade'])(
    'is not stable while it %s',
    flag => {
      expect(isStable(arrived)).toBe(true);
      expect(isStable({ ...arrived, [flag]: true })).toBe(false);
    },
  );
});
