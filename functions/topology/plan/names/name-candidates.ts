// Searches the name of one object (docs/decisions/0025). Each computed candidate is read from the API server. The first
// candidate is used that is free or belongs to this topology. So a repeated or concurrent create never creates a second
// object.

import {
  type Answer,
  type Checked,
  type Intent,
  invalid,
  type ObjectMeta,
  type ObjectRef,
  prefixed,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { type Digest, randomnessOf } from '../../../../shared/names/random-characters.ts';
import { toCanonicalText } from './canonical.ts';
import { type NameRole, toName } from './name-pattern.ts';
import { isOurs, namesShim } from './ownership.ts';
import { shimNameOf } from './shim-name.ts';
import type { ChosenName } from './topology-names.ts';
import type { WantedName } from './wanted-names.ts';

/** Candidates 0 to 4. A second candidate is needed only if a user has taken the first name on purpose. */
const lastCandidate = 4;

/** The input for computing the candidates of one name. */
export interface NameSearch extends Pick<WantedName, 'role' | 'topologyName' | 'template' | 'apiVersion' | 'kind'> {
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

/** Returns the search for a new template. The same change to the same template always produces the same name. */
export function searchOfRotation({ cluster, role, topologyName, intent }: NameRotation): NameSearch {
  const { name, uid: _, ...metadata } = intent.metadata;
  return {
    cluster,
    role,
    topologyName,
    template: '',
    apiVersion: intent.apiVersion,
    kind: intent.kind,
    seed: [name, toCanonicalText({ ...intent, metadata })],
  };
}

type StartedName =
  | { readonly state: 'held'; readonly chosen: ChosenName }
  | { readonly state: 'search'; readonly search: NameSearch };

/**
 * An existing object keeps its name, even if the naming template has changed. An error in the naming template is still
 * an error.
 */
export function startName(
  { role, topologyName, template, apiVersion, kind, held }: WantedName,
  cluster: Cluster,
  digest: Digest,
): StartedName {
  const search = { role, topologyName, template, apiVersion, kind, cluster, seed: [''] };
  return held !== undefined && nameOf(search, 0, digest).ok
    ? { state: 'held', chosen: { name: held } }
    : { state: 'search', search };
}

/**
 * Returns the next object to read, or the reason why there is none. `taken` contains the names of earlier candidates.
 */
export function nextCandidate(search: NameSearch, taken: readonly string[], digest: Digest): Checked<ObjectRef> {
  const { apiVersion, kind, cluster } = search;
  const { namespace } = cluster.metadata;
  const name = taken.length > lastCandidate ? valid(undefined) : nameOf(search, taken.length, digest);
  if (!name.ok) {
    return name;
  }
  if (name.value !== undefined && !taken.includes(name.value)) {
    return valid({ apiVersion, kind, namespace, name: name.value });
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

/** The result for one candidate. 'askShim': the metadata of the shim determines the owner of the object. */
export type JudgedCandidate =
  | { readonly state: 'chosen'; readonly chosen: ChosenName }
  | { readonly state: 'taken' }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'askShim'; readonly ref: ObjectRef; readonly existing: Unstructured };

/** `answer` is the object with the candidate's name. */
export function judgeCandidate(search: NameSearch, ref: ObjectRef, answer: Answer<Unstructured>): JudgedCandidate {
  if (!answer.ok) {
    return answer.missing
      ? { state: 'chosen', chosen: { name: ref.name } }
      : { state: 'failed', error: `failed to look up ${ref.kind} ${toDisplayName(ref)}: ${answer.failure.message}` };
  }
  const existing = answer.value;
  const { cluster } = search;
  if (!namesShim(existing, cluster)) {
    return claimed(search, existing, undefined);
  }
  const { namespace, name } = cluster.metadata;
  return { state: 'askShim', existing, ref: { apiVersion: 'v1', kind: 'Secret', namespace, name: shimNameOf(name) } };
}

/** `answer` is the metadata of the shim. */
export function judgeWithShim(
  search: NameSearch,
  existing: Unstructured,
  answer: Answer<ObjectMeta>,
): Exclude<JudgedCandidate, { state: 'askShim' }> {
  return answer.ok || answer.missing
    ? claimed(search, existing, answer.ok ? answer.value.uid : undefined)
    : { state: 'failed', error: `failed to read the cluster shim object: ${answer.failure.message}` };
}

function claimed(
  { cluster, topologyName }: NameSearch,
  existing: Unstructured,
  shimUid: string | undefined,
): Exclude<JudgedCandidate, { state: 'askShim' }> {
  return isOurs(existing, { cluster, topologyName, shimUid })
    ? { state: 'chosen', chosen: { name: existing.metadata.name, existing } }
    : { state: 'taken' };
}
