// Reads what may go with a MachineDeployment or a MachineSet of a managed topology that is being deleted.
import type { Answer } from '../api/answer.ts';
import { type Checked, invalid, valid } from '../api/checked.ts';
import { clusterApiVersion, pausedAnnotation, readCluster } from '../api/cluster/reader.ts';
import { section, textOrEmpty } from '../api/fields.ts';
import { type ObjectMeta, type ObjectRef, toDisplayName, toRef, type Unstructured } from '../api/object.ts';
import { chooseContract } from '../contract/contract-version.ts';
import type { Reads, Stop } from '../kernel/types.ts';
import { ownedLabel } from '../topology/model/keys.ts';
import { definitionOf, isAlive, type TemplateReference, unusedTemplates } from './references.ts';
import { type Doomed, failureText, type Seen } from './seen.ts';

export interface Companion {
  readonly finalizer: string;
  /** Who else may be made from the templates of the object. */
  users(object: Unstructured, ask: Reads): Promise<Checked<readonly Unstructured[]>>;
  /** What goes besides its templates. */
  companions(object: Unstructured): readonly ObjectRef[];
}

/**
 * Stops at objects that no topology owns, that are held and alive, and that are paused. A Cluster that is gone pauses
 * nothing, so that what it left can go.
 */
export async function observe(object: Unstructured, ask: Reads, companion: Companion): Promise<Seen | Stop> {
  const { finalizer } = companion;
  if (object.metadata.labels?.[ownedLabel] === undefined) {
    return { stop: 'not owned by a topology' };
  }
  const isHeld = object.metadata.finalizers?.includes(finalizer) === true;
  if (isAlive(object)) {
    return isHeld ? { stop: 'not being deleted' } : { step: 'hold', object, finalizer };
  }
  if (!isHeld) {
    return { stop: 'being deleted, and nothing of ours holds it' };
  }
  const paused = await isPaused(object, ask);
  if (paused.ok && paused.value) {
    return { stop: 'paused' };
  }
  const doomed = paused.ok ? await findDoomed(object, ask, companion) : paused;
  return { step: 'release', object, finalizer, doomed };
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

async function findDoomed(
  object: Unstructured,
  ask: Reads,
  { users, companions }: Companion,
): Promise<Checked<readonly Doomed[]>> {
  const others = await users(object, ask);
  if (!others.ok) {
    return others;
  }
  const found = await Promise.all([
    ...unusedTemplates(object, others.value).map(template => locateTemplate(template, object, ask)),
    ...companions(object).map(async ref => toDoomed(ref, await ask.metadata(ref))),
  ]);
  return all(found);
}

/** In the version that the contract of its kind names; without a definition there is no object either. */
async function locateTemplate(
  template: TemplateReference,
  object: Unstructured,
  ask: Reads,
): Promise<Checked<readonly Doomed[]>> {
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
  return toDoomed(ref, await ask.metadata(ref));
}

function toDoomed(ref: ObjectRef, found: Answer<ObjectMeta>): Checked<readonly Doomed[]> {
  if (found.ok) {
    return valid([{ ref, uid: found.value.uid }]);
  }
  return found.missing
    ? valid([])
    : invalid(failureText(`failed to get ${ref.kind} ${toDisplayName(ref)}`, found.failure));
}

function all(found: readonly Checked<readonly Doomed[]>[]): Checked<readonly Doomed[]> {
  const doomed: Doomed[] = [];
  for (const each of found) {
    if (!each.ok) {
      return each;
    }
    doomed.push(...each.value);
  }
  return valid(doomed);
}
