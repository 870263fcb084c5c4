import { describe, expect, it } from 'vitest';
import type { ControlPlaneProgress } from '../../../../../shared/topology/model/versions.ts';
import { decideWorkers, isStable, type WorkerFacts } from '../../../../../shared/topology/upgrade/worker-versions.ts';
import { aMachineDeployment, aMachinePool } from '../../../../support/builders.ts';
import { blockingResponse, goOn } from '../../../../support/topology-upgrade.ts';

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
  /** "": not there yet. */
  readonly version?: string;
}

interface Given extends Partial<Omit<WorkerFacts, 'topologies' | 'current'>> {
  readonly workers: readonly Worker[];
}

/** Objects are called after their topologies, with `c1-` before. */
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
    ...told('upgrading', upgrading),
    ...told('pending', pendingUpgrade),
    ...told('deferred', deferredUpgrade),
    ...told('create', pendingCreate),
  };
}

function told(what: string, names: ReadonlySet<string>) {
  return names.size === 0 ? {} : { [what]: [...names] };
}

const three = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

describe('the versions of workers', () => {
  it.each<Given & { readonly reason: string; readonly outcome: object | string }>([
    {
      reason: '1 a new one at the version of the topology',
      workers: [{ name: 'a', version: '' }],
      outcome: { versions: { a: 'v1.31.0' } },
    },
    {
      reason: '1 58 a new one waits for the control plane',
      workers: [{ name: 'a', version: '' }],
      controlPlane: { ...arrived, isUpgrading: true },
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: '1 22 a new one waits for a control plane that runs nothing yet',
      workers: [{ name: 'a', version: '' }],
      controlPlane: { ...arrived, isProvisioning: true },
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: '1 a new one waits for a control plane that waits itself',
      workers: [{ name: 'a', version: '' }],
      controlPlane: { ...arrived, isPendingUpgrade: true },
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: '1 a new one waits for AfterControlPlaneUpgrade',
      workers: [{ name: 'a', version: '' }],
      responses: new Map([['AfterControlPlaneUpgrade', blockingResponse()]]),
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: '1 a new one waits for BeforeWorkersUpgrade',
      workers: [{ name: 'a', version: '' }],
      responses: new Map([['BeforeWorkersUpgrade', blockingResponse()]]),
      outcome: { versions: { a: 'v1.31.0' }, create: ['a'] },
    },
    {
      reason: '2 one that is there, whatever annotations it has',
      workers: [{ name: 'a', version: 'v1.31.0', annotations: { [defer]: '' } }],
      outcome: { versions: { a: 'v1.31.0' } },
    },
    {
      reason: '3 55 a deferred one is passed over',
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
      reason: '3 54 a sequence is held up from there on',
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
      reason: '3 a sequence is held up by one that is there itself',
      workers: [{ name: 'a', version: 'v1.31.0', annotations: { [hold]: '' } }, { name: 'b' }],
      outcome: { versions: { a: 'v1.31.0', b: 'v1.30.0' }, pending: ['c1-b'], deferred: ['c1-b'] },
    },
    {
      reason: '4 65 AfterControlPlaneUpgrade blocks',
      workers: [{ name: 'a' }],
      responses: new Map([['AfterControlPlaneUpgrade', blockingResponse()]]),
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: '5 BeforeWorkersUpgrade blocks',
      workers: [{ name: 'a' }],
      responses: new Map([['BeforeWorkersUpgrade', blockingResponse()]]),
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: '5 hooks that let it go on',
      workers: [{ name: 'a' }],
      responses: new Map([
        ['AfterControlPlaneUpgrade', goOn],
        ['BeforeWorkersUpgrade', goOn],
        ['AfterWorkersUpgrade', blockingResponse()],
      ]),
      outcome: { versions: { a: 'v1.31.0' }, upgrading: ['c1-a'] },
    },
    {
      reason: '6 52 one at a time',
      workers: three,
      outcome: {
        versions: { a: 'v1.31.0', b: 'v1.30.0', c: 'v1.30.0' },
        upgrading: ['c1-a'],
        pending: ['c1-b', 'c1-c'],
      },
    },
    {
      reason: '6 52 not even one while one is under way',
      workers: [{ name: 'a', version: 'v1.31.0' }, { name: 'b' }],
      upgrading: new Set(['c1-a']),
      outcome: { versions: { a: 'v1.31.0', b: 'v1.30.0' }, upgrading: ['c1-a'], pending: ['c1-b'] },
    },
    {
      reason: '6 53 two at a time',
      workers: three,
      concurrency: 2,
      outcome: {
        versions: { a: 'v1.31.0', b: 'v1.31.0', c: 'v1.30.0' },
        upgrading: ['c1-a', 'c1-b'],
        pending: ['c1-c'],
      },
    },
    {
      reason: '7 51 the control plane is on its way',
      workers: [{ name: 'a' }],
      controlPlane: { ...arrived, isUpgrading: true },
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: '7 50 the control plane is about to go',
      workers: [{ name: 'a' }],
      controlPlane: { ...arrived, isStartingUpgrade: true },
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: '7 the control plane wishes to go, and does not wait for them',
      workers: [{ name: 'a' }],
      controlPlane: { ...arrived, isPendingUpgrade: true, isWaitingForWorkersUpgrade: false },
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: '7 the control plane wishes to go, and waits for them',
      workers: [{ name: 'a', version: 'v1.28.0' }],
      plan: ['v1.30.0', 'v1.31.0'],
      controlPlane: { ...arrived, isPendingUpgrade: true },
      outcome: { versions: { a: 'v1.30.0' }, upgrading: ['c1-a'] },
    },
    {
      reason: '8 nobody planned anything',
      workers: [{ name: 'a' }],
      plan: [],
      outcome:
        'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "a": cannot compute the machine deployment version if the machine deployment is pending upgrade and the upgrade plan is not set',
    },
    {
      reason: '8 nobody planned anything for pools',
      kind: 'MachinePool',
      workers: [{ name: 'a' }],
      plan: [],
      outcome:
        'failed to compute MachinePools: failed to compute MachinePool for topology "a": cannot compute the machine pool version if the machine pool is pending upgrade and the upgrade plan is not set',
    },
    {
      reason: '9 one that waits for the next step of the control plane',
      workers: [{ name: 'a', version: 'v1.30.0' }],
      plan: ['v1.30.0', 'v1.31.0'],
      outcome: { versions: { a: 'v1.30.0' }, pending: ['c1-a'] },
    },
    {
      reason: '10 a pool',
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
