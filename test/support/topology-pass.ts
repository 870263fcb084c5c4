// One pass of the topology reconciler on the topology of `test/support/topology-objects.ts`, without kernel and API server.

import { answered, type DryRun, type Instant, type Unstructured } from '@capi-serverless/apimachinery';
import { createTopologyReconciler } from '../../functions/topology/reconciler.ts';
import { type FakeHooks, fakeHooks } from './fake-hooks.ts';
import { type FakeReads, fakeReads, type ReadFault } from './fake-reads.ts';
import { type Built, built, ObjectBuilder, testStart } from './object-builder.ts';
import { type InjectedFailure, type OnePass, onePass } from './one-pass.ts';
import { aTopologyClass, topologyTemplates } from './topology-objects.ts';

export interface TopologyWorld {
  readonly cluster: Built<Unstructured>;
  /** The ClusterClass. Default: reconciled, without variables. */
  readonly clusterClass?: Built<Unstructured>;
  readonly objects?: readonly Built<Unstructured>[];
  readonly faults?: readonly ReadFault[];
  readonly failures?: Readonly<Record<string, InjectedFailure>>;
  readonly hooks?: FakeHooks;
  /** Whether extensions are called. Default: true. */
  readonly callsExtensions?: boolean;
  readonly now?: Instant;
}

interface TopologyPass extends OnePass {
  readonly reads: FakeReads;
  /** The name `Kind name` of each dry run. */
  readonly dryRuns: readonly string[];
}

const variablesReady = {
  observedGeneration: 1,
  conditions: [
    { type: 'VariablesReady', status: 'True', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
};

/** Returns `class1` after a reconcile by its reconciler. */
export function aReadyClass(change: Parameters<typeof aTopologyClass>[0] = {}): Unstructured {
  const clusterClass = built(aTopologyClass(change).withStatus(variablesReady));
  return { ...clusterClass, metadata: { ...clusterClass.metadata, generation: 1 } };
}

const definitions = ['KubeadmControlPlane'].map(kind =>
  new ObjectBuilder({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: `${kind.toLowerCase()}s.controlplane.cluster.x-k8s.io`,
  }).labelled({ 'cluster.x-k8s.io/v1beta2': 'v1beta2' }),
);

/** The API server records the manager that created an object. */
function madeByUser(object: Built<Unstructured>): Unstructured {
  const { metadata, ...rest } = built(object);
  const entry = { manager: 'kubectl', operation: 'Update', apiVersion: rest.apiVersion, fieldsType: 'FieldsV1' };
  return { ...rest, metadata: { ...{ managedFields: [{ ...entry, fieldsV1: {} }] }, ...metadata } };
}

export async function topologyPass(world: TopologyWorld): Promise<TopologyPass> {
  const { clusterClass = aReadyClass(), objects = [], faults = [], failures = {} } = world;
  const { hooks = fakeHooks(), callsExtensions = true, now = testStart } = world;
  const cluster = madeByUser(world.cluster);
  const stored = [clusterClass, ...definitions, ...Object.values(topologyTemplates), ...objects].map(each =>
    built(each),
  );
  const reads = fakeReads(stored, faults);
  const dryRuns: string[] = [];
  // A dry run returns the applied object unchanged, so every difference is a change.
  const dryRun: DryRun = {
    apply: async object => {
      dryRuns.push(`${object.kind} ${object.metadata.name}`);
      return answered({ ...object, metadata: { uid: 'u', resourceVersion: '1', ...object.metadata } });
    },
  };
  const nodes = { kubeletVersions: async () => new Map() };
  const pass = await onePass(createTopologyReconciler({ callsExtensions }), cluster, {
    now,
    ask: { ...reads, hooks, dryRun, nodes },
    world: [cluster, ...stored],
    failures,
  });
  return { ...pass, reads, dryRuns };
}
