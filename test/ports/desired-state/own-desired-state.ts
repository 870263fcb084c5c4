// What `plan topology --files` computes for the objects of one Cluster, after the rules of admission.
import {
  groupOf,
  type Instant,
  type Intent,
  type JsonObject,
  pluralOf,
  type Reads,
  toRecord,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { type AdmissionRequest, type ObjectDraft, StatusError, type Stored } from '@capi-serverless/apiserver/core';
import { seed } from '../../../cli/plan/files.ts';
import { type PlannedReconcile, toPlannable, toReads } from '../../../cli/plan/plan.ts';
import { type RequiredReconcile, readFromFiles } from '../../../cli/plan/prepared-files.ts';
import { face as classFace } from '../../../functions/clusterclass/explain.ts';
import { nodesAsReported } from '../../../functions/topology/explain.ts';
import type { Desired } from '../../../functions/topology/plan/desired/desired-topology.ts';
import { createTopologyReconciler } from '../../../functions/topology/reconciler.ts';
import type { ObservedTopology } from '../../../functions/topology/seen.ts';
import { createAdmission } from '../../../local/admission.ts';
import { UsageError } from '../../../local/usage-error.ts';
import { hooksThatAgree } from '../../../shared/explain/hooks-that-agree.ts';
import { toDecisionGates } from '../admission/own-answers.ts';

/** Either all desired objects by their role, or the reason why there are none. */
export interface OwnDesiredState {
  readonly topology?: JsonObject;
  readonly objects?: Readonly<Record<string, Intent>>;
  readonly problem?: string;
}

const now: Instant = Date.parse('2026-01-01T00:00:00Z');

/** As if both objects were created with `kubectl`, and then planned. */
export async function ownDesiredState(objects: readonly Intent[], featureGates: string): Promise<OwnDesiredState> {
  try {
    return await planned(objects, featureGates);
  } catch (thrown) {
    if (thrown instanceof StatusError) {
      return { problem: thrown.status.message ?? 'refused' };
    }
    if (thrown instanceof UsageError) {
      return { problem: thrown.message };
    }
    throw thrown;
  }
}

async function planned(objects: readonly Intent[], featureGates: string): Promise<OwnDesiredState> {
  const cluster = only('Cluster', objects);
  const clusterClass = only('ClusterClass', objects);
  const others = objects.filter(({ kind }) => kind !== 'Cluster' && kind !== 'ClusterClass');
  admit(clusterClass, [], featureGates);
  const settling: RequiredReconcile = { face: classFace, ref: toRef(clusterClass) };
  const reads = toReads(seed(objects, now).kubernetes);
  const asking = { reads, ref: toRef(cluster), callHooks: false, probeWorkloads: false, wouldAsk: () => undefined };
  const settled = await settledClass((await readFromFiles(asking, now, () => settling)).reads, settling);
  const admitted = isNew(cluster) ? admit(cluster, [settled], featureGates) : cluster;
  return planOf({ ...cluster, ...toRecord(admitted) }, [...others, settled], settling);
}

function only(kind: string, objects: readonly Intent[]): Intent {
  const found = objects.find(object => object.kind === kind);
  if (found === undefined) {
    throw new Error(`There is no ${kind}`);
  }
  return found;
}

/** The changes of Clusters with objects are validated by the comparison of the webhooks. */
function isNew(cluster: Intent): boolean {
  return toRecord(cluster['spec'])['controlPlaneRef'] === undefined;
}

/** Returns the object with its defaults. Throws StatusError. */
function admit(object: Intent, stored: readonly Unstructured[], featureGates: string): ObjectDraft {
  const { mutate, admit: decide } = createAdmission(toDecisionGates(featureGates));
  const resource = { group: groupOf(object.apiVersion), kind: object.kind, plural: pluralOf(object.kind) };
  const requestOf = (written: ObjectDraft): AdmissionRequest => ({
    ...{ resource, name: object.metadata.name, dryRun: false, object: written },
    operation: 'CREATE',
  });
  const reads = {
    list: (_apiVersion: string, kind: string) => stored.filter(each => each.kind === kind),
    warn: () => undefined,
  };
  const draft = object as unknown as Stored; // True: it has a kind and metadata.
  const defaulted = mutate(requestOf(draft)) ?? draft;
  return decide(requestOf(defaulted), reads) ?? defaulted;
}

async function settledClass(reads: Reads, { ref }: RequiredReconcile): Promise<Unstructured> {
  const answer = await reads.get(ref);
  if (!answer.ok) {
    throw new Error(answer.failure.message);
  }
  return answer.value;
}

async function planOf(
  cluster: Intent,
  others: readonly (Intent | Unstructured)[],
  settling: RequiredReconcile,
): Promise<OwnDesiredState> {
  const seen: ObservedTopology[] = [];
  const plannable = toPlannable({
    reconciler: createTopologyReconciler({ callsExtensions: false }),
    ports: { hooks: hooksThatAgree, nodes: nodesAsReported },
    prepare: (asking, at) => readFromFiles(asking, at, () => settling),
    whyOf: () => undefined,
    waitOf: () => undefined,
    conclude: observed => {
      seen.push(observed);
      return [];
    },
  });
  const reads = toReads(seed([cluster, ...others], now).kubernetes);
  const asked = { reads, ref: toRef(cluster), now, callHooks: false, probeWorkloads: false };
  return toState(cluster, await plannable.plan({ ...asked, fromFiles: true }), seen[0]);
}

function toState(cluster: Intent, plan: PlannedReconcile, seen: ObservedTopology | undefined): OwnDesiredState {
  if (plan.defect !== undefined) {
    throw plan.defect;
  }
  const desired = seen?.planned?.desired;
  const topology = toRecord(seen?.bookkeeping.topology ?? toRecord(cluster['spec'])['topology']);
  return desired === undefined
    ? { problem: seen?.failure ?? plan.stop ?? 'no plan' }
    : { topology, objects: byRole(desired) };
}

function byRole({ infrastructureCluster, controlPlane, machineDeployments, machinePools }: Desired) {
  const objects: Record<string, Intent | undefined> = {
    infrastructureCluster,
    controlPlane: controlPlane.object,
    'controlPlane/machineTemplate': controlPlane.machineTemplate,
    'controlPlane/healthCheck': controlPlane.healthCheck,
  };
  for (const [name, each] of machineDeployments) {
    const role = `machineDeployment/${name}`;
    objects[role] = each.object;
    objects[`${role}/bootstrap`] = each.bootstrapTemplate;
    objects[`${role}/infrastructure`] = each.infrastructureTemplate;
    objects[`${role}/healthCheck`] = each.healthCheck;
  }
  for (const [name, each] of machinePools) {
    const role = `machinePool/${name}`;
    objects[role] = each.object;
    objects[`${role}/bootstrap`] = each.bootstrapObject;
    objects[`${role}/infrastructure`] = each.infrastructureObject;
  }
  return JSON.parse(JSON.stringify(objects)) as Readonly<Record<string, Intent>>; // True: absent roles are left out.
}
