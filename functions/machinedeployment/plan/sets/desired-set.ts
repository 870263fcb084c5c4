// The MachineSet that a deployment applies. The fields that start a rollout are those of the MachineSet. All others follow
// the deployment.
import {
  type Checked,
  type Intent,
  invalid,
  type JsonObject,
  toRecord,
  toSortedJson,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../../../shared/api/machine-deployment/reader.ts';
import type { WholeMachineDeployment } from '../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { templateHashLabel } from '../../../../shared/machine-collections/keys.ts';
import type { MachineTemplateSpec } from '../../../../shared/machine-collections/template-differences.ts';
import { type Digest, randomnessOf } from '../../../../shared/names/random-characters.ts';
import { isApplyOf, managedFieldsOf } from '../../../../shared/server-side-apply/managed-fields.ts';

interface DesiredSet {
  readonly deployment: WholeMachineDeployment;
  readonly replicas: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The fields of the Machine template that are changed in place. */
const inPlaceFields = ['minReadySeconds', 'readinessGates', 'deletion', 'taints'];

export function toNewSet(desired: DesiredSet, { name, hash }: SetName): Intent {
  const { template } = toRecord(desired.deployment.object.spec);
  return toSet(desired, { name, hash, template: toRecord(toRecord(template)['spec']), metadata: {} });
}

/**
 * The intent of an existing MachineSet is valid for the version that was read only. Fails if the MachineSet lacks the
 * label that distinguishes its Machines.
 */
export function toExistingSet(desired: DesiredSet, set: Unstructured): Checked<Intent> {
  const { metadata, spec } = set;
  const { uid, resourceVersion, name, labels = {} } = metadata;
  const hash = labels[templateHashLabel] ?? '';
  if (hash === '') {
    const problem = 'failed to get unique identifier from "machine-template-hash" annotation';
    return invalid(`failed to compute desired MachineSet: ${problem}`);
  }
  const template = toRecord(toRecord(toRecord(spec)['template'])['spec']);
  return valid(toSet(desired, { name, hash, template, metadata: { uid, resourceVersion, ...keptFinalizers(set) } }));
}

/**
 * Finalizers that this manager owns would disappear with the next apply. Others are not in the intent: the reconciler of
 * MachineSets adds its finalizer at any time, and each such change would need another apply.
 */
function keptFinalizers(set: Unstructured): Pick<Unstructured['metadata'], 'finalizers'> {
  const { finalizers } = set.metadata;
  const isOwned = managedFieldsOf(set)
    .filter(isApplyOf(setManager))
    .some(({ fieldsV1 }) => toRecord(fieldsV1['f:metadata'])['f:finalizers'] !== undefined);
  return isOwned && finalizers !== undefined ? { finalizers } : {};
}

interface SetParts extends SetName {
  /** The specification of the Machines. */
  readonly template: JsonObject;
  readonly metadata: Partial<Unstructured['metadata']>;
}

function toSet(
  { deployment, replicas, annotations }: DesiredSet,
  { name, hash, template, metadata }: SetParts,
): Intent {
  const { name: deploymentName, namespace, uid } = deployment.metadata;
  const spec = toRecord(deployment.object.spec);
  const ofTemplate = toRecord(toRecord(spec['template'])['metadata']);
  const labels = { ...toRecord(ofTemplate['labels']), [templateHashLabel]: hash };
  const owner = { apiVersion: clusterApiVersion, kind: 'MachineDeployment', name: deploymentName, uid };
  return {
    apiVersion: clusterApiVersion,
    kind: 'MachineSet',
    metadata: {
      name,
      namespace,
      ...metadata,
      labels: { ...labels, [deploymentNameLabel]: deploymentName },
      annotations,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      ...pick(spec, ['clusterName', 'deletion', 'machineNaming']),
      replicas,
      selector: toSelector(spec, hash),
      template: {
        metadata: { labels, ...pick(ofTemplate, ['annotations']) },
        spec: inPlace(template, toRecord(toRecord(spec['template'])['spec'])),
      },
    },
  };
}

function toSelector(spec: JsonObject, hash: string): JsonObject {
  const selector = toRecord(spec['selector']);
  return { ...selector, matchLabels: { ...toRecord(selector['matchLabels']), [templateHashLabel]: hash } };
}

function inPlace(template: JsonObject, desired: JsonObject): JsonObject {
  const kept = Object.keys(template).filter(field => !inPlaceFields.includes(field));
  return { ...pick(template, kept), ...pick(desired, inPlaceFields) };
}

/** Returns the fields that are present. */
function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.flatMap(field => (object[field] === undefined ? [] : [[field, object[field]]])));
}

/** The field manager of MachineSets. It is the one of upstream, so that fields can be unset after a take-over. */
export const setManager = 'capi-machinedeployment';

/** The length of a longer name before the random characters. */
const keptCharacters = 58;

interface NamedRollout {
  readonly deployment: WholeMachineDeployment;
  readonly template: MachineTemplateSpec;
  /** The revision of the new MachineSet. The way back to an earlier template is another rollout. */
  readonly revision: string;
  /** The time after which older MachineSets are replaced, if it has passed. */
  readonly after: string | undefined;
}

export interface SetName {
  readonly name: string;
  /** The value of the label machine-template-hash. It differs for each MachineSet. */
  readonly hash: string;
}

/**
 * The same rollout always has the same name, so a repeated or concurrent pass creates no second MachineSet. `attempt` is 0,
 * or higher if the names of earlier attempts belong to others.
 */
export function setNameOf(
  { deployment: { metadata }, template, revision, after }: NamedRollout,
  attempt: number,
  digest: Digest,
): SetName {
  const purpose = [metadata.uid, revision, toSortedJson(template), after ?? ''];
  const { random } = randomnessOf(purpose, attempt, digest);
  const bytes = digest(JSON.stringify(purpose)).slice(0, 4);
  const hash = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return { name: `${`${metadata.name}-`.slice(0, keptCharacters)}${random}`, hash: `${hash}-${random}` };
}
