// The objects of the scenarios: Cluster ns/c1 at generation 3, FooCluster i1, FooControlPlane cp1, and their CRDs.

import { type Instant, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { createClusterReconciler, defaultSettings } from '../../../../functions/cluster/reconciler.ts';
import type { ClusterSettings } from '../../../../functions/cluster/seen.ts';
import { aCluster, type ClusterBuilder } from '../../../support/builders.ts';
import { type FakeReads, fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { type FakeSigner, type FakeWorkload, fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import { type Built, built, ObjectBuilder, testStart } from '../../../support/object-builder.ts';
import { type InjectedFailure, type OnePass, onePass } from '../../../support/one-pass.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';

export const now: Instant = testStart + 3_600_000;
export const logs = 'Please check controller logs for errors';
export const topo = 'Waiting for cluster topology to be reconciled';
export const finalizer = 'cluster.cluster.x-k8s.io';

const infraGroup = 'infrastructure.cluster.x-k8s.io';
const controlPlaneGroup = 'controlplane.cluster.x-k8s.io';
export const infraRef = { apiGroup: infraGroup, kind: 'FooCluster', name: 'i1' };
export const controlPlaneRef = { apiGroup: controlPlaneGroup, kind: 'FooControlPlane', name: 'cp1' };

/** Returns a Cluster with finalizer and Paused condition. The workload cluster answered the last probe. */
export function aSettledCluster(): ClusterBuilder {
  return anUnconnectedCluster().withCondition('RemoteConnectionProbe', {
    status: 'True',
    reason: 'ProbeSucceeded',
    observedGeneration: 3,
  });
}

/** Returns a Cluster with finalizer and Paused condition. The workload cluster was not probed yet. */
export function anUnconnectedCluster(): ClusterBuilder {
  return aFreshCluster()
    .withFinalizers(finalizer)
    .withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 3 });
}

/** Returns a Cluster that was created one minute ago. */
export function aFreshCluster(): ClusterBuilder {
  return aCluster()
    .withUid('uid-1')
    .atGeneration(3)
    .atResourceVersion('7')
    .createdAt(now - 60_000);
}

export function withBothRefs(cluster: ClusterBuilder): ClusterBuilder {
  return cluster.withInfrastructureRef(infraRef).withControlPlaneRef(controlPlaneRef);
}

class ExternalBuilder extends ObjectBuilder {
  /** Adds the owner reference of the Cluster. */
  adopted(): this {
    return this.labelled({ 'cluster.x-k8s.io/cluster-name': 'c1' }).ownedBy(aFreshCluster());
  }
}

export function i1(version = 'v1'): ExternalBuilder {
  return new ExternalBuilder({ apiVersion: `${infraGroup}/${version}`, kind: 'FooCluster', name: 'i1' }).withUid(
    'uid-i1',
  );
}

export function cp1(version = 'v1'): ExternalBuilder {
  const apiVersion = `${controlPlaneGroup}/${version}`;
  return new ExternalBuilder({ apiVersion, kind: 'FooControlPlane', name: 'cp1' }).withUid('uid-cp1');
}

/** Returns provisioned and ready infrastructure with endpoint, failure domains and owner reference. */
export function infraOk(): ExternalBuilder {
  return i1()
    .adopted()
    .withSpec({ controlPlaneEndpoint: { host: 'h.example', port: 6443 } })
    .withStatus({
      initialization: { provisioned: true },
      failureDomains: [{ name: 'b' }, { name: 'a', controlPlane: true }],
    })
    .withCondition('Ready');
}

/** Returns an initialized and available control plane with counters and owner reference. */
export function controlPlaneOk(): ExternalBuilder {
  return cp1()
    .adopted()
    .withSpec({ replicas: 3 })
    .withStatus({
      initialization: { controlPlaneInitialized: true },
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 2,
      upToDateReplicas: 3,
    })
    .withCondition('Available');
}

export function aCrd(ref: { readonly apiGroup: string; readonly kind: string }, labels: Record<string, string>) {
  const name = `${ref.kind.toLowerCase()}s.${ref.apiGroup}`;
  return new ObjectBuilder({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name }).labelled(
    labels,
  );
}

export const crds: readonly ObjectBuilder[] = [infraRef, controlPlaneRef].map(ref =>
  aCrd(ref, { 'cluster.x-k8s.io/v1beta2': 'v1' }),
);

export function aClusterClass(): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', name: 'cls' });
}

/** The write of the endpoint from `infraOk`. */
export const endpointWrite = 'patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":{"host":"h.example","port":6443}}}';

export interface ClusterWorld {
  readonly objects?: readonly Built<Unstructured>[];
  /** The definitions. Default: both CRDs with contract v1beta2 and version v1. */
  readonly crds?: readonly Built<Unstructured>[];
  readonly readFaults?: readonly ReadFault[];
  /** The failures by action id. */
  readonly failures?: Readonly<Record<string, InjectedFailure>>;
  readonly settings?: Partial<ClusterSettings>;
  /** The workload cluster. Default: it answers. */
  readonly workload?: FakeWorkload;
  /** Whether the time for reads is up. Default: false. */
  readonly late?: boolean;
  /** The number of the pass. Default: 1. */
  readonly number?: number;
}

interface PassResult extends Omit<OnePass, 'events'> {
  readonly ask: FakeReads;
  readonly signer: FakeSigner;
  readonly workload: FakeWorkload;
  readonly status: Readonly<Record<string, unknown>>;
  /** Returns `True/Ready`, with a space and the message if there is one. Undefined if there is no such condition. */
  condition(type: string): string | undefined;
  generationOf(type: string): number | undefined;
  /** Returns `False/Info/Deleted` and the message. Absent parts are omitted. */
  v1beta1(type: string): string | undefined;
  readonly events: readonly string[];
  /** Returns `done`, `again`, `requeueAfter 5000`, or the error's text. */
  readonly result: string;
}

/** The feature gates for managed topologies are enabled. */
export const testSettings: ClusterSettings = { ...defaultSettings, honorsDeleteHook: true };

/** Runs one pass over the Cluster. */
export async function reconcileOnce(cluster: Built<Unstructured>, world: ClusterWorld = {}): Promise<PassResult> {
  const primary = built(cluster);
  const objects = [...(world.crds ?? crds), ...(world.objects ?? [])].map(object => built(object));
  const ask = fakeReads(objects, world.readFaults);
  const remote = { signer: fakeSigner(), workload: world.workload ?? fakeWorkload() };
  const reconciler = createClusterReconciler({ ...testSettings, ...world.settings });
  const pass = await onePass(reconciler, primary, {
    now,
    ask: { ...ask, ...remote },
    number: world.number ?? 1,
    late: world.late ?? false,
    world: [primary, ...objects],
    ...(world.failures === undefined ? {} : { failures: world.failures }),
  });
  return { ...pass, ...remote, ask, ...toPassResult(pass) };
}

function toPassResult({ report }: OnePass) {
  const status = report.status?.status ?? {};
  const v1beta1 = valueAt(status, 'deprecated.v1beta1.conditions');
  return {
    status,
    condition: (type: string) => conditionText(conditionIn(status['conditions'], type)),
    generationOf: (type: string) => conditionIn(status['conditions'], type)?.observedGeneration,
    v1beta1: (type: string) => conditionText(conditionIn(v1beta1, type)),
    events: report.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    result: resultText(report.result),
  };
}
