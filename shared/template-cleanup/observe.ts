// Reads the objects that are deleted together with a MachineDeployment or MachineSet of a managed topology.
import {
  type Answer,
  allInOrder,
  type Checked,
  invalid,
  mapChecked,
  type ObjectMeta,
  type ObjectRef,
  type Reads,
  toDisplayName,
  toRef,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { chooseContract, clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Stop } from '@capi-serverless/reconciler';
import { clusterApiVersion, readCluster } from '../api/cluster/reader.ts';
import { section, textOrEmpty } from '../api/fields.ts';
import { deploymentNameLabel, ownedLabel } from '../topology/model/keys.ts';
import { type Dependent, failureText, type TemplateCleanupSeen } from './seen.ts';
import { definitionOf, isAlive, type TemplateReference, unusedTemplates } from './unused-templates.ts';

/** The differences between MachineDeployments and MachineSets. */
export interface CleanupRules {
  readonly finalizer: string;
  /** Returns the objects that may reference the same templates. */
  users(object: Unstructured, ask: Reads): Promise<Checked<readonly Unstructured[]>>;
  /** Returns the objects that are deleted in addition to the templates. */
  dependents(object: Unstructured): readonly ObjectRef[];
}

/**
 * Stops at objects without topology and at paused objects. Also stops at objects that have the finalizer and are not
 * being deleted. A Cluster that no longer exists pauses nothing, so that its workers can be deleted.
 */
export async function observe(
  object: Unstructured,
  ask: Reads,
  rules: CleanupRules,
): Promise<TemplateCleanupSeen | Stop> {
  const { finalizer } = rules;
  if (object.metadata.labels?.[ownedLabel] === undefined) {
    return { stop: 'not owned by a topology' };
  }
  const hasFinalizer = object.metadata.finalizers?.includes(finalizer) === true;
  if (isAlive(object)) {
    return hasFinalizer ? { stop: 'not being deleted' } : { step: 'addFinalizer', object, finalizer };
  }
  if (!hasFinalizer) {
    return { stop: 'being deleted without our finalizer' };
  }
  const paused = await isPaused(object, ask);
  if (paused.ok && paused.value) {
    return { stop: 'paused' };
  }
  const dependents = paused.ok ? await findDependents(object, ask, rules) : paused;
  return { step: 'cleanUp', object, finalizer, dependents };
}

const specSchema = section({ clusterName: textOrEmpty });

async function isPaused(object: Unstructured, ask: Reads): Promise<Checked<boolean>> {
  if (object.metadata.annotations?.[pausedAnnotation] !== undefined) {
    return valid(true);
  }
  const name = specSchema.parse(object.spec).clusterName;
  const ref: ObjectRef = { ...toRef(object), apiVersion: clusterApiVersion, kind: 'Cluster', name };
  const cluster = await ask.get(ref);
  if (cluster.ok) {
    return valid(readCluster(cluster.value).spec.paused);
  }
  return cluster.missing
    ? valid(false)
    : invalid(failureText(`failed to get Cluster ${toDisplayName(ref)}`, cluster.failure));
}

async function findDependents(
  object: Unstructured,
  ask: Reads,
  rules: CleanupRules,
): Promise<Checked<readonly Dependent[]>> {
  const others = await rules.users(object, ask);
  if (!others.ok) {
    return others;
  }
  const found = await Promise.all([
    ...unusedTemplates(object, others.value).map(template => locateTemplate(template, object, ask)),
    ...rules.dependents(object).map(async ref => toDependent(ref, await ask.metadata(ref))),
  ]);
  return mapChecked(allInOrder(found), dependents => dependents.flat());
}

/** Reads in the version of the contract of the kind. Without a definition, the object does not exist either. */
async function locateTemplate(
  template: TemplateReference,
  object: Unstructured,
  ask: Reads,
): Promise<Checked<readonly Dependent[]>> {
  const definition = await ask.metadata(definitionOf(template));
  if (!definition.ok) {
    const what = 'failed to get CustomResourceDefinition metadata';
    return definition.missing ? valid([]) : invalid(failureText(what, definition.failure));
  }
  const contract = chooseContract(definition.value);
  if (!contract.ok) {
    return contract;
  }
  const { apiGroup, kind, name } = template;
  const ref = { ...toRef(object), apiVersion: `${apiGroup}/${contract.value.version}`, kind, name };
  const found = await ask.metadata(ref);
  return found.ok && !isOwnedTemplate(found.value, object) ? valid([]) : toDependent(ref, found);
}

/**
 * A user may have changed the reference. Only a template that the topology reconciler created for the workers of this
 * object is deleted. A template of the control plane has no name of a MachineDeployment.
 */
function isOwnedTemplate({ labels = {} }: ObjectMeta, object: Unstructured): boolean {
  const { clusterName } = specSchema.parse(object.spec);
  const topologyName = object.metadata.labels?.[deploymentNameLabel] ?? '';
  const isOfCluster = clusterName !== '' && labels[clusterNameLabel] === clusterName;
  const isOfWorkers = topologyName !== '' && labels[deploymentNameLabel] === topologyName;
  return Object.hasOwn(labels, ownedLabel) && isOfCluster && isOfWorkers;
}

function toDependent(ref: ObjectRef, found: Answer<ObjectMeta>): Checked<readonly Dependent[]> {
  if (found.ok) {
    return valid([{ ref, uid: found.value.uid }]);
  }
  return found.missing
    ? valid([])
    : invalid(failureText(`failed to get ${ref.kind} ${toDisplayName(ref)}`, found.failure));
}
