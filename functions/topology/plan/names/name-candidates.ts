// Searches the name of one object (docs/decisions/0025). Each computed candidate is read from the API server. The first
// candidate is used that is free or belongs to this topology. So a repeated or concurrent create never creates a second
// object.
import { createHash } from 'node:crypto';
import {
  type Checked,
  compareText,
  type Intent,
  invalid,
  isJsonObject,
  type ObjectRef,
  prefixed,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { type AskingPlan, ask } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { type Digest, randomnessOf } from '../../../../shared/names/random-characters.ts';
import { deploymentNameLabel, ownedLabel, poolNameLabel } from '../../../../shared/topology/model/keys.ts';
import type { GetQuestion, MetadataQuestion, ReadQuestion } from '../questions.ts';
import { type NameRole, toName } from './name-pattern.ts';
import { isShimReference, shimNameOf } from './shim-name.ts';
import type { ChosenName } from './topology-names.ts';
import type { WantedName } from './wanted-names.ts';

/** Candidates 0 to 4. A second candidate is needed only if a user has taken the first name on purpose. */
const lastCandidate = 4;

/** The input for computing the candidates of one name. */
interface NameSearch extends Pick<WantedName, 'role' | 'topologyName' | 'template' | 'apiVersion' | 'kind'> {
  readonly cluster: Cluster;
  /**
   * The current name in the reference, "" if there is none. For a rotated template, it also includes the content of the
   * template.
   */
  readonly seed: readonly string[];
}

export interface NameRotation {
  readonly cluster: Cluster;
  readonly role: Extract<NameRole, `${string}Template`>;
  /** "" for the control plane's machine template. */
  readonly topologyName: string;
  /** The desired new template. Its name is the current name in the reference. */
  readonly intent: Intent;
}

/**
 * Returns the name that an existing reference holds, or finds one. An existing object keeps its name, even if the naming
 * template has changed. An error in the naming template is still an error.
 */
export function* chooseName(
  { role, topologyName, template, apiVersion, kind, held }: WantedName,
  cluster: Cluster,
  digest: Digest = sha256,
): AskingPlan<ReadQuestion, Checked<ChosenName>> {
  const search = { role, topologyName, template, apiVersion, kind, cluster, seed: [''] };
  return held !== undefined && nameOf(search, 0, digest).ok ? valid({ name: held }) : yield* findName(search, digest);
}

/** Finds a name for a new template. The same change to the same template always produces the same name. */
export function* chooseRotatedName(
  { cluster, role, topologyName, intent }: NameRotation,
  digest: Digest = sha256,
): AskingPlan<ReadQuestion, Checked<ChosenName>> {
  const { name, uid: _, ...metadata } = intent.metadata;
  const { apiVersion, kind } = intent;
  const seed = [name, toCanonicalText({ ...intent, metadata })];
  return yield* findName({ cluster, role, topologyName, template: '', apiVersion, kind, seed }, digest);
}

/** Stops at the last candidate, or if the naming template gives the same name again. */
function* findName(search: NameSearch, digest: Digest): AskingPlan<ReadQuestion, Checked<ChosenName>> {
  const { apiVersion, kind, cluster } = search;
  const { namespace } = cluster.metadata;
  const taken: string[] = [];
  for (let n = 0; n <= lastCandidate; n += 1) {
    const name = nameOf(search, n, digest);
    if (!name.ok) {
      return name;
    }
    if (taken.includes(name.value)) {
      break;
    }
    const chosen = yield* claim(search, { apiVersion, kind, namespace, name: name.value });
    if (chosen !== 'taken') {
      return chosen;
    }
    taken.push(name.value);
  }
  const names = taken.map(each => toDisplayName({ namespace, name: each })).join(', ');
  const obstacle = `taken by what is being deleted or does not belong to Cluster ${toDisplayName(cluster.metadata)}`;
  return invalid(`failed to find a name for ${kind}: ${obstacle}: ${names}; delete or rename what is in the way`);
}

function nameOf({ seed, cluster, ...pattern }: NameSearch, n: number, digest: Digest): Checked<string> {
  const { role, topologyName, kind } = pattern;
  const randomness = randomnessOf([cluster.metadata.uid, role, topologyName, ...seed], n, digest);
  const name = toName({ ...pattern, clusterName: cluster.metadata.name }, randomness);
  return prefixed(name, `failed to generate name for ${kind}`);
}

/** Chooses the name of `ref` if it is free or the object belongs to this topology. The shim may own the object. */
function* claim(search: NameSearch, ref: ObjectRef): AskingPlan<ReadQuestion, Checked<ChosenName> | 'taken'> {
  const { cluster, topologyName } = search;
  const found = yield* ask<GetQuestion>('get', ref);
  if (!found.ok) {
    return found.missing
      ? valid({ name: ref.name })
      : invalid(`failed to look up ${ref.kind} ${toDisplayName(ref)}: ${found.failure.message}`);
  }
  const existing = found.value;
  const shimUid = namesShim(existing, cluster) ? yield* readShimUid(cluster) : valid(undefined);
  if (!shimUid.ok) {
    return shimUid;
  }
  return isOurs(existing, { cluster, topologyName, shimUid: shimUid.value })
    ? valid({ name: existing.metadata.name, existing })
    : 'taken';
}

/** Returns undefined if there is no shim. */
function* readShimUid({ metadata }: Cluster): AskingPlan<MetadataQuestion, Checked<string | undefined>> {
  const { namespace, name } = metadata;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: shimNameOf(name) };
  const shim = yield* ask<MetadataQuestion>('metadata', ref);
  if (shim.ok) {
    return valid(shim.value.uid);
  }
  return shim.missing ? valid(undefined) : invalid(`failed to read the cluster shim object: ${shim.failure.message}`);
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** Returns JSON with sorted members. Undefined members are omitted. */
export function toCanonicalText(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => compareText(a, b))) : member,
  );
}

interface Claim {
  readonly cluster: Cluster;
  /** "" for objects that exist once per Cluster. */
  readonly topologyName: string;
  /** Undefined if there is no shim. */
  readonly shimUid: string | undefined;
}

/**
 * Returns true if the object has the topology labels, is not being deleted, and is owned by the Cluster or its shim.
 * MachineDeployments and MachinePools are created without an owner. For them, it is sufficient that they have no other
 * owner.
 */
export function isOurs({ metadata, kind }: Unstructured, { cluster, topologyName, shimUid }: Claim): boolean {
  const { labels = {}, ownerReferences = [], deletionTimestamp } = metadata;
  const isMarked = labels[clusterNameLabel] === cluster.metadata.name && Object.hasOwn(labels, ownedLabel);
  const isOfTopology = (labels[deploymentNameLabel] ?? labels[poolNameLabel] ?? '') === topologyName;
  const uids = [cluster.metadata.uid, shimUid];
  const isOwned =
    ownerReferences.some(({ uid }) => uids.includes(uid)) || (isMadeWithoutOwner(kind) && ownerReferences.length === 0);
  return isMarked && isOfTopology && isOwned && deletionTimestamp === undefined;
}

/** Returns true if the uid of the shim is required to determine the owner of this object. */
export function namesShim({ metadata }: Unstructured, { metadata: { name } }: Cluster): boolean {
  return (metadata.ownerReferences ?? []).some(reference => isShimReference(reference, name));
}

function isMadeWithoutOwner(kind: string): boolean {
  return kind === 'MachineDeployment' || kind === 'MachinePool';
}
