// Tests of the conformance suite. Correct providers pass. Each defect causes a failure of its case.
import { describe, expect, it } from 'vitest';
import { readString, valueOr } from '../../../../../packages/cluster-api/contract/path.ts';
import {
  defineInfrastructureProvider,
  type InfrastructureProviderOptions,
} from '../../../../../packages/provider-sdk/index.ts';
import {
  type ConformanceSetup,
  infrastructureConformance,
} from '../../../../../packages/provider-sdk/testing/index.ts';
import type { Reconciler } from '../../../../../packages/reconciler/types.ts';
import { createMemoryApi } from '../../../../support/memory-api.ts';
import { definitionOf } from '../../../../support/provider-definitions.ts';

type Provider = ConformanceSetup['provider'];

const group = 'rock.example.com';
const kind = 'RockCluster';
const endpoint = { host: 'api.rock.example.com', port: 6443 };

type Change = Partial<InfrastructureProviderOptions> & {
  /** Wraps the complete reconciler. */
  readonly wrap?: (inner: Provider) => Provider;
  readonly setup?: Partial<ConformanceSetup>;
};

/** Returns the names of the failed cases. */
async function failingCases({ wrap = inner => inner, setup = {}, ...change }: Change): Promise<readonly string[]> {
  const options: InfrastructureProviderOptions = {
    group,
    version: 'v1beta2',
    kind,
    contract: 'v1beta2',
    endpoint: 'provided',
    status: ['note'],
    reconcileNormal: async () => ({
      ready: true,
      ...(change.endpoint === 'fromCluster' ? {} : { endpoint }),
      failureDomains: [{ name: 'b' }, { name: 'a' }],
    }),
    reconcileDelete: async () => ({ done: true }),
    ...change,
  };
  const contract = options.contract === 'v1beta2' ? 'v1beta2' : 'v1beta1';
  const api = createMemoryApi({ crds: [openDefinition(contract)] });
  let ids = 0;
  const cases = infrastructureConformance({
    provider: wrap(defineInfrastructureProvider({ ...options, version: contract })),
    contract: options.contract,
    endpoint: options.endpoint,
    kubernetes: () => api.others,
    namespace: 'default',
    now: () => api.clock.now(),
    newId: () => {
      ids += 1;
      return `case-${ids}`;
    },
    failureDomains: ['a', 'b'],
    ...setup,
  });
  const failing: string[] = [];
  for (const { name, run } of cases) {
    await run().catch((error: unknown) => failing.push(error instanceof Error ? name : String(error)));
  }
  const left = await api.others.list({ apiVersion: `${group}/${contract}`, kind });
  expect(left).toEqual({ ok: true, value: [] });
  return failing;
}

function openDefinition(contract: 'v1beta1' | 'v1beta2') {
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  const parts = { kind, group, contract } as const;
  const definition = definitionOf(parts);
  const version = { name: contract, served: true, storage: true, subresources: { status: {} } };
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', ...open }, status: { type: 'object', ...open } },
  };
  return {
    ...definition,
    spec: { ...Object(definition['spec']), versions: [{ ...version, schema: { openAPIV3Schema } }] },
  };
}

const order = (name: string, value: string | null) => ({ metadata: { annotations: { [name]: value } } });

describe('the conformance suite', () => {
  it.each<{ readonly reason: string } & Change>([
    { reason: 'v1beta2', contract: 'v1beta2' },
    { reason: 'v1beta1', contract: 'v1beta1' },
    { reason: 'v1alpha3', contract: 'v1alpha3' },
    { reason: 'an endpoint that the Cluster supplies', endpoint: 'fromCluster' },
  ])('passes a correct provider: $reason', async ({ reason: _, ...change }) => {
    expect(await failingCases(change)).toEqual([]);
  });

  describe('where two objects cannot share a network', () => {
    const networks = new Map<string, string>();
    const exclusively: Change = {
      reconcileNormal: async ({ object, spec }) => {
        const cidr = String(spec['cidr']);
        const { uid } = object.metadata;
        if ((networks.get(cidr) ?? uid) !== uid) {
          throw new Error(`${cidr} is taken`);
        }
        networks.set(cidr, uid);
        return { ready: true, endpoint, failureDomains: [{ name: 'a' }, { name: 'b' }] };
      },
      reconcileDelete: async ({ object }) => {
        for (const [cidr] of [...networks].filter(([, owner]) => owner === object.metadata.uid)) {
          networks.delete(cidr);
        }
        return { done: true };
      },
    };

    it('passes if each object has its own spec, and leaves no resources in the cloud', async () => {
      const indices: number[] = [];
      const spec = (index: number) => {
        indices.push(index);
        return { cidr: `10.${index}.0.0/16` };
      };
      expect(await failingCases({ ...exclusively, setup: { spec, varies: ['spec.cidr'] } })).toEqual([]);
      expect(indices.length).toBeGreaterThan(30);
      expect(indices).toEqual(indices.map((_, at) => at));
      expect([...networks]).toEqual([]);
    });

    it('otherwise fails on conflicting objects, and leaves no resources either', async () => {
      expect(await failingCases({ ...exclusively, setup: { spec: { cidr: '10.0.0.0/16' } } })).toEqual(
        expect.arrayContaining(['becomes ready under concurrent calls']),
      );
      expect([...networks]).toEqual([]);
    });
  });

  describe('where the cloud chooses an id for each object', () => {
    const ids = new Map<string, string>();
    const reconcileNormal: InfrastructureProviderOptions['reconcileNormal'] = async ({ object }) => {
      const id = ids.get(object.metadata.uid) ?? `net-${ids.size}`;
      ids.set(object.metadata.uid, id);
      const failureDomains = [{ name: 'a' }, { name: 'b' }];
      return { ready: true, endpoint: { host: id, port: 6443 }, failureDomains, status: { note: id } };
    };

    it('passes if the setup names the varying path', async () => {
      const setup = { varies: ['status.note', 'spec.controlPlaneEndpoint.host', 'status.never.there'] };
      expect(await failingCases({ reconcileNormal, setup })).toEqual([]);
    });

    it('otherwise treats the difference as a mistake of the provider', async () => {
      const setup = { varies: ['spec.controlPlaneEndpoint.host'] };
      expect(await failingCases({ reconcileNormal, setup })).toContain('becomes ready under concurrent calls');
    });

    it('still detects a field that only some objects have', async () => {
      const halfway: typeof reconcileNormal = async context => {
        const { status, ...rest } = await reconcileNormal(context);
        return /[02468]$/.test(String(status?.['note'])) ? { ...rest, status: { note: 'even' } } : rest;
      };
      const setup = { varies: ['status.note', 'spec.controlPlaneEndpoint.host'] };
      const failing = await failingCases({ reconcileNormal: halfway, setup });
      expect(failing).toContain('becomes ready if a crash prevents any one write');
    });
  });

  it('fails a provider whose status never settles', async () => {
    let calls = 0;
    const failing = await failingCases({
      reconcileNormal: async () => {
        calls += 1;
        return {
          ready: true,
          endpoint,
          failureDomains: [{ name: 'a' }, { name: 'b' }],
          status: { note: String(calls) },
        };
      },
    });
    expect(failing).toContain('writes nothing once it is ready');
    expect(failing).toContain('becomes ready under concurrent calls');
  });

  it('fails a provider that keeps state in its process', async () => {
    const begun = new Set<string>();
    const failing = await failingCases({
      reconcileNormal: async ({ object }) => {
        const isStored = valueOr(readString(object, 'status.note'), '') === 'begun';
        if (!isStored && begun.has(object.metadata.uid)) {
          throw new Error('there is a network of that name already');
        }
        begun.add(object.metadata.uid);
        return isStored
          ? { ready: true, endpoint, failureDomains: [{ name: 'a' }, { name: 'b' }] }
          : { ready: false, status: { note: 'begun' }, requeueAfter: 1 };
      },
    });
    expect(failing).toContain('becomes ready if a crash prevents any one write');
  });

  it('fails a provider that never finishes a deletion', async () => {
    const failing = await failingCases({ reconcileDelete: async () => ({ done: false }) });
    expect(failing).toEqual(expect.arrayContaining(['is deleted after it was ready', 'is deleted after its Cluster']));
    expect(failing).not.toContain('becomes ready, with the flag last');
  });

  it('fails a provider that reports other failure domains', async () => {
    const reconcileNormal = async () => ({ ready: true, endpoint, failureDomains: [{ name: 'a' }] });
    expect(await failingCases({ reconcileNormal })).toEqual([
      'reports its failure domains in the form of its contract',
    ]);
  });

  it('fails a provider that never recovers', async () => {
    const reconcileNormal: InfrastructureProviderOptions['reconcileNormal'] = async ({ object }) => {
      const isBroken =
        object.metadata.annotations?.['broken'] !== undefined || valueOr(readString(object, 'status.note'), '') !== '';
      return isBroken
        ? { ready: false, status: { note: 'broken' } }
        : { ready: true, endpoint, failureDomains: [{ name: 'a' }, { name: 'b' }] };
    };
    const failure = { inject: order('broken', 'yes'), mend: order('broken', null) };
    expect(await failingCases({ reconcileNormal, setup: { failure } })).toEqual([
      'reports a failure, and recovers from it',
      'stays provisioned when something breaks later',
    ]);
  });

  it.each<{ readonly reason: string; readonly wrap: (inner: Provider) => Provider; readonly failing: string }>([
    {
      reason: 'ignores a pause',
      wrap: inner => observing(inner, object => without(object, 'cluster.x-k8s.io/paused')),
      failing: 'writes nothing while the object is paused, and resumes afterwards',
    },
    {
      reason: 'writes to externally managed objects',
      wrap: inner => observing(inner, object => without(object, 'cluster.x-k8s.io/managed-by')),
      failing: 'writes nothing to an object that is managed externally',
    },
    {
      reason: 'keeps no finalizer',
      wrap: inner =>
        observing(inner, object => ({
          ...object,
          metadata: { ...object.metadata, finalizers: [`${kind.toLowerCase()}.${group}`] },
        })),
      failing: 'stores its finalizer before it does anything else',
    },
  ])('fails a provider that $reason', async ({ wrap, failing }) => {
    expect(await failingCases({ wrap })).toContain(failing);
  });
});

type Observed = Parameters<Reconciler<object, object>['observe']>[0];

/** Returns the provider with these changed objects. */
function observing(inner: Provider, look: (object: Observed) => Observed): Provider {
  return {
    declaration: inner.declaration,
    observe: (primary, ask, pass) => inner.observe(look(primary), ask, pass),
    decide: (seen, now) => inner.decide(seen, now),
    report: (seen, outcomes, now) => inner.report(seen, outcomes, now),
  };
}

function without(object: Observed, annotation: string): Observed {
  const { [annotation]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}
