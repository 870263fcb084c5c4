// A batch of ten managed topologies, some of which have a hostile class or hostile variables. The others are reconciled
// in the same invocation. Each hostile one gets a condition that names the exceeded limit.
import { type Reconciler, type WiredPorts, workOfPass } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { createClusterClassReconciler } from '../../../functions/clusterclass/reconciler.ts';
import { createTopologyReconciler } from '../../../functions/topology/reconciler.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { toBody } from '../../../shared/workqueue/message.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { isFull } from '../../support/extent.ts';
import { fakeHooks } from '../../support/fake-hooks.ts';
import { createMemoryApi, type MemoryApi } from '../../support/memory-api.ts';
import { fieldsOf } from '../../support/object-builder.ts';
import { aTenantTopology, type TenantTopology } from '../../support/tenant-topology.ts';

interface HostileTopology extends TenantTopology {
  readonly reason: string;
  /** A part of the message of a condition of the Cluster or of its class. */
  readonly says: string;
  /** Takes seconds, so it does not run in `npm test`. */
  readonly isLong?: boolean;
}

const work = `limit exceeded: ${workOfPass.what} take more than `;
const longText = '{{ $t := repeat 20000 "a" }}';

const attacks: readonly HostileTopology[] = [
  {
    reason: 'YAML with more signs than it may have',
    templates: ['[{{ repeat 600001 "," }}'],
    says: work,
  },
  {
    reason: 'all matches of an expression that reads to the end of the text for each, in a template',
    templates: [`${longText}{{ len (regexFindAll "a(?:[^b]*b)?" $t -1) }}`],
    says: work,
  },
  {
    reason: 'the same in a rule',
    rule: "self.findAll('a(?:[^b]*b)?').size() > 0",
    text: 'a'.repeat(20_000),
    says: 'call cost exceeds limit for rule',
  },
  {
    reason: 'long texts in upper case',
    templates: ['{{ $t := repeat 1900000 "é" }}{{ range until 80 }}{{ $x := upper $t }}{{ end }}'],
    says: work,
    isLong: true,
  },
  {
    reason: 'numbers of a million digits',
    templates: ['{{ $t := repeat 1000000 "9" }}{{ range until 1000 }}{{ $x := atoi $t }}{{ end }}'],
    says: work,
  },
  {
    reason: 'many insertions at the start of a long list',
    templates: ['[{{ range until 190000 }}0,{{ end }}0]'],
    operations: Array.from({ length: 6000 }, () => ({ op: 'add', path: '/spec/template/spec/x0/0', value: 0 })),
    says: work,
    isLong: true,
  },
  {
    reason: 'many templates that each stay below the limit of one',
    templates: Array.from({ length: 10 }, (_, at) => `{{ range 1000000 }}{{ end }}${at}`),
    says: work,
  },
  {
    reason: 'a long time zone that does not exist',
    rule: "timestamp('2024-01-01T00:00:00Z').getHours(self) >= 0",
    text: 'Europe/bERLIn'.repeat(1000),
    says: 'unknown time zone',
  },
];

/** Tenants. Each has a namespace, a class and a Cluster of its name. */
const names = Array.from({ length: 10 }, (_, at) => `c${at}`);
/** Reconciles the ten objects in one invocation. */
function reconcileAll<Ports extends object, Seen extends object>(
  api: MemoryApi,
  reconciler: Reconciler<Ports, Seen>,
  ports: WiredPorts<Ports>,
): Promise<readonly string[]> {
  const { name: reconcilerName, primary } = reconciler.declaration;
  return reconcileBatch(
    {
      ...aBatchContext(api),
      reconciler,
      ports,
    },
    names.map(name => ({
      messageId: name,
      body: toBody({
        v: 1,
        reconciler: reconcilerName,
        key: { managementCluster: 'mc', group: primary.group, kind: primary.kind, namespace: name, name },
        cause: 'event',
        attempt: 0,
        trace: 't',
      }),
    })),
  );
}

// Each attack has a batch of its own. In `npm test`, they share one.
const batches = isFull ? attacks.map(attack => [attack]) : [attacks.filter(({ isLong }) => isLong !== true)];

it.each(batches.map(hostile => ({ hostile, reason: hostile.map(({ reason }) => reason).join('; ') })))(
  'reconciles the other topologies of a batch, and names the limits: $reason',
  async ({ hostile }) => {
    const api = createMemoryApi();
    const harmless: HostileTopology = { reason: '', says: '' };
    const attackOn = new Map(hostile.map((attack, at) => [names[at + 1], attack]));
    for (const name of names) {
      const attack = attackOn.get(name) ?? harmless;
      api.given(...aTenantTopology(name, attack));
    }
    const ports = { hooks: fakeHooks(), nodes: { kubeletVersions: async () => new Map() } };
    expect(await reconcileAll(api, createClusterClassReconciler({ callsExtensions: true }), ports)).toEqual([]);
    expect(
      await reconcileAll(api, createTopologyReconciler({ callsExtensions: true, classNamespaces: 'any' }), ports),
    ).toEqual([]);

    for (const name of names) {
      const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: name, name };
      const cluster = api.read(ref);
      const clusterClass = api.read({ ...ref, kind: 'ClusterClass' });
      const says = attackOn.get(name)?.says;
      const conditions = JSON.stringify([cluster.status, clusterClass.status]);
      expect({ name, created: fieldsOf(cluster.spec)['infrastructureRef'] !== undefined, conditions }).toEqual({
        name,
        created: says === undefined,
        conditions: expect.stringContaining(says ?? '"TopologyReconciled","status":"True"'),
      });
    }
  },
);
