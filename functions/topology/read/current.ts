// Reads what is there of a topology: what the Cluster's references name, the workers that carry its labels, and what those name.
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import { type ContractReference, clusterApiVersion, isDefined } from '../../../shared/api/cluster/reader.ts';
import { groupOf, type ObjectRef, toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import { chooseContract } from '../../../shared/contract/contract-version.ts';
import { ownedLabel } from '../../../shared/topology/model/keys.ts';
import type { TemplateRef } from '../../../shared/topology/model/parts.ts';
import { prefixed, retrieve } from './checks.ts';
import type { PassReads } from './pass-reads.ts';

/** A reference without a version, the class's reference that it came from, and where its object is. */
export interface StoredReference {
  readonly ref: ContractReference;
  readonly from: TemplateRef;
  /** 'template': the reference names a template itself; 'object': something made from it. */
  readonly names: 'template' | 'object';
  readonly namespace: string;
}

/** The version of the class where group and kind are the class's, so that both states are compared in one version. */
export async function alignReference(
  { ref, from, names, namespace }: StoredReference,
  ask: PassReads,
): Promise<Checked<ObjectRef>> {
  const { apiGroup, kind, name } = ref;
  const madeKind = names === 'template' ? from.kind : from.kind.replace(/Template$/, '');
  if (groupOf(from.apiVersion) === apiGroup && madeKind === kind) {
    return valid({ apiVersion: from.apiVersion, kind, namespace, name });
  }
  const definition = await ask.definition({ group: apiGroup, kind });
  const contract = definition.ok
    ? chooseContract(definition.value)
    : invalid(`failed to get CustomResourceDefinition metadata: ${definition.failure.message}`);
  return contract.ok
    ? valid({ apiVersion: `${apiGroup}/${contract.value.version}`, kind, namespace, name })
    : invalid(`failed to align ref apiVersion: ${contract.error}`);
}

/** The object behind a reference. */
export async function readReferenced(stored: StoredReference, ask: PassReads): Promise<Checked<Unstructured>> {
  const aligned = await alignReference(stored, ask);
  return aligned.ok ? retrieve(aligned.value, ask) : aligned;
}

/** Any value of the label will do. */
export function isTopologyOwned({ metadata }: Unstructured): boolean {
  return Object.hasOwn(metadata.labels ?? {}, ownedLabel);
}

/** `Kind ns/name`. */
export function describe({ kind, metadata }: Unstructured): string {
  return `${kind} ${toDisplayName(metadata)}`;
}

/** The object must belong to a topology: another one is never touched. */
export function checkOwned(object: Checked<Unstructured>, referrer: string): Checked<Unstructured> {
  return object.ok && !isTopologyOwned(object.value)
    ? invalid(`${describe(object.value)} referenced from ${referrer} is not topology owned`)
    : object;
}

/** What the Cluster's reference names; undefined where it has none yet. */
export async function readFromCluster(
  stored: StoredReference,
  cluster: string,
  ask: PassReads,
): Promise<Checked<Unstructured | undefined>> {
  const { ref, namespace } = stored;
  if (!isDefined(ref)) {
    return valid(undefined);
  }
  const object = await readReferenced(stored, ask);
  const read = prefixed(object, `failed to read ${ref.kind} ${toDisplayName({ namespace, name: ref.name })}`);
  return checkOwned(read, `Cluster ${cluster}`);
}

/** The health check that has this name, if there is one: whose it is does not matter. */
export async function readHealthCheck(
  { metadata }: Unstructured,
  ask: PassReads,
  toProblem: (cause: string) => string,
): Promise<Checked<Unstructured | undefined>> {
  const { namespace, name } = metadata;
  const where = namespace === undefined ? {} : { namespace };
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'MachineHealthCheck', ...where, name });
  if (answer.ok) {
    return valid(answer.value);
  }
  return answer.missing ? valid(undefined) : invalid(toProblem(answer.failure.message));
}
