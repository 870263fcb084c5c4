// Plans changes of a topology for tests: the applied objects, a server for dry runs, and outcomes of the planned writes.

import {
  type Answer,
  type ApplyOptions,
  answered,
  type FailureReason,
  type Intent,
  isJsonObject,
  type JsonObject,
  mergeDeep,
  refused,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { Action, Outcome, Outcomes } from '@capi-serverless/reconciler';
import type { Current } from '../../functions/topology/plan/current/current-topology.ts';
import { computeDesired } from '../../functions/topology/plan/desired/compute.ts';
import type { Desired } from '../../functions/topology/plan/desired/desired-topology.ts';
import { toIntent } from '../../functions/topology/plan/intent/filter.ts';
import type { Blueprint } from '../../shared/topology/model/blueprint.ts';
import { fakeReads, type ReadFault } from './fake-reads.ts';
import { nothingYet, settledNames, settledVersions } from './settled-topology.ts';
import { aBlueprint } from './topology-objects.ts';

/** Returns the desired objects of this blueprint with the settled names. */
export function desiredFor(blueprint: Blueprint = aBlueprint(), current: Current = nothingYet): Desired {
  const desired = computeDesired({ blueprint, current, names: settledNames, versions: settledVersions() });
  if (!desired.ok) {
    throw new Error(desired.error);
  }
  return desired.value;
}

/** Returns the result of an apply of this intent, with its managedFields. `more` is merged into the result. */
export function applied(intent: Intent, more: JsonObject = {}): Unstructured {
  const { apiVersion, metadata } = intent;
  const managedFields = [
    { manager: 'capi-topology', operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1: fieldsOf(intent) },
  ];
  const uid = `uid-of-${metadata.name}`;
  const stored = { ...intent, metadata: { ...metadata, uid, resourceVersion: '7', managedFields } };
  // True: the draft has all names, and a merge removes none.
  return mergeDeep(stored, more) as unknown as Unstructured;
}

/** Treats lists, selectors and objects with a member `atomic` as atomic. */
function fieldsOf({ metadata, spec }: Intent): JsonObject {
  const { labels, annotations, ownerReferences = [] } = metadata;
  const owners = ownerReferences.map(({ uid }) => [`k:${JSON.stringify({ uid })}`, {}]);
  return {
    'f:metadata': {
      ...(labels === undefined ? {} : { 'f:labels': leaves(labels) }),
      ...(annotations === undefined ? {} : { 'f:annotations': leaves(annotations) }),
      ...(owners.length === 0 ? {} : { 'f:ownerReferences': Object.fromEntries(owners) }),
    },
    ...(spec === undefined ? {} : { 'f:spec': leaves(spec) }),
  };
}

function leaves(value: unknown): JsonObject {
  return isJsonObject(value) && !('matchLabels' in value || 'atomic' in value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [`f:${name}`, leaves(inner)]))
    : {};
}

/** Returns a state in which all objects exist as desired. */
export function settledAs(desired: Desired): Current {
  const { controlPlane, machineDeployments, machinePools } = desired;
  return {
    infrastructureCluster: applied(desired.infrastructureCluster),
    controlPlane: allApplied(controlPlane),
    machineDeployments: new Map([...machineDeployments].map(([name, parts]) => [name, allApplied(parts)])),
    machinePools: new Map([...machinePools].map(([name, parts]) => [name, allApplied(parts)])),
  };
}

function allApplied<T extends object>(parts: T): { readonly [Part in keyof T]: Unstructured } {
  const entries = Object.entries(parts).map(([part, intent]: [string, Intent]) => [part, applied(intent)]);
  return Object.fromEntries(entries) as { readonly [Part in keyof T]: Unstructured }; // true: there is one object for each intent
}

/** Returns all current objects. */
export function objectsOf(current: Current): readonly Unstructured[] {
  const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = current;
  const parts = [{ infrastructureCluster }, controlPlane, ...machineDeployments.values(), ...machinePools.values()];
  return parts.flatMap(part => Object.values(part)).filter(object => object !== undefined);
}

interface TryingServer {
  /** The name `<Kind> <name>` of every dry run. */
  readonly dryRuns: readonly string[];
  readonly ask: ReturnType<typeof fakeReads> & { readonly dryRun: { apply: Apply } };
}

type Apply = (intent: Intent, options: ApplyOptions) => Promise<Answer<Unstructured>>;

export interface RefusedWrite {
  /** The name of the object in the form `<Kind> <name>`. */
  readonly at: string;
  readonly message: string;
  /** The number of the dry run of an object, 1 or 2. Default: 1. */
  readonly dryRun?: 1 | 2;
}

/** Stores these objects. An apply merges its fields into them and removes owned fields that it no longer contains. */
export function aTryingServer(
  objects: readonly Unstructured[],
  refusals: readonly RefusedWrite[] = [],
  faults: readonly ReadFault[] = [],
): TryingServer {
  const dryRuns: string[] = [];
  const apply: Apply = async (intent, { uid }) => {
    const at = `${intent.kind} ${intent.metadata.name}`;
    dryRuns.push(at);
    const count = dryRuns.filter(each => each === at).length;
    const refusal = refusals.find(each => each.at === at && (each.dryRun ?? 1) === count);
    if (refusal !== undefined) {
      return refused({ reason: 'Invalid', message: refusal.message });
    }
    const stored = objects.find(({ kind, metadata }) => kind === intent.kind && metadata.name === intent.metadata.name);
    return stored === undefined || stored.metadata.uid !== uid
      ? refused({ reason: 'Conflict', message: 'uid mismatch' })
      : answered(applied(intent, kept(stored, count === 1 ? ownedOf(stored) : {})));
  };
  return { dryRuns, ask: { ...fakeReads(objects, faults), dryRun: { apply } } };
}

function ownedOf({ metadata }: Unstructured): JsonObject {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly { readonly fieldsV1: JsonObject }[] }; // true: `applied` created it in this form
  return managedFields[0]?.fieldsV1 ?? {};
}

/** Returns the object without its owned leaves. */
function kept(object: Unstructured, owned: JsonObject): JsonObject {
  const { apiVersion, kind, metadata, spec } = object;
  const intent = toIntent({ apiVersion, kind, metadata: { ...metadata }, ...(spec === undefined ? {} : { spec }) });
  return without({ spec: intent['spec'] ?? {} }, owned);
}

function without(value: JsonObject, owned: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const below = owned[`f:${name}`];
      if (!isJsonObject(below)) {
        return [[name, inner]];
      }
      return isJsonObject(inner) && Object.keys(below).length > 0 ? [[name, without(inner, below)]] : [];
    }),
  );
}

interface OverlayResult {
  readonly lines: readonly string[];
  readonly outcomes: Outcomes;
}

/** Returns the outcomes of actions. Keys of `failing` are action ids. New objects get the uid `new-<name>`. */
export function overlayWrites(
  actions: readonly Action[],
  failing: Readonly<Record<string, FailureReason>> = {},
): OverlayResult {
  const outcomes = new Map<string, Outcome>();
  const lines: string[] = [];
  for (const action of actions) {
    if (action.when?.(outcomes) === false) {
      outcomes.set(action.id, { state: 'skipped' });
      continue;
    }
    lines.push(action.id);
    const reason = failing[action.id];
    outcomes.set(
      action.id,
      reason === undefined ? succeed(action) : { state: 'failed', failure: { reason, message: 'no luck' } },
    );
  }
  return { lines, outcomes };
}

function succeed(action: Action): Outcome {
  if (action.do !== 'apply' && action.do !== 'create') {
    return { state: 'done' };
  }
  const { metadata } = action.object;
  const uid = (action.do === 'apply' ? action.uid : undefined) ?? `new-${metadata.name}`;
  return { state: 'done', object: applied(action.object, { metadata: { uid } }) };
}

/** Returns the body of an apply. */
export function appliedBy(actions: readonly Action[], id: string): Intent {
  const action = actions.find(each => each.id === id);
  if (action?.do !== 'apply') {
    throw new Error(`No apply ${id} among ${actions.map(each => each.id).join(', ')}`);
  }
  return action.object;
}

/** Returns all desired objects. */
export function intentsOf(desired: Desired): readonly Intent[] {
  const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = desired;
  const parts = [{ infrastructureCluster }, controlPlane, ...machineDeployments.values(), ...machinePools.values()];
  return parts
    .flatMap((part): readonly (Intent | undefined)[] => Object.values(part))
    .filter(each => each !== undefined);
}
