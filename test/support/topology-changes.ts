// Plans of changes of a topology for tests: what is there as the topology itself applied it, a server that only tries, and
// outcomes of the planned writes.
import { type Answer, answered, type FailureReason, refused } from '../../shared/api/answer.ts';
import { isJsonObject, type JsonObject } from '../../shared/api/json.ts';
import type { Intent, Unstructured } from '../../shared/api/object.ts';
import { mergeDeep } from '../../shared/kernel/merge-diff.ts';
import type { Action, Outcome, Outcomes } from '../../shared/kernel/types.ts';
import type { ApplyOptions } from '../../shared/kubernetes/port.ts';
import { computeDesired } from '../../shared/topology/desired/compute.ts';
import { toIntent } from '../../shared/topology/intent/filter.ts';
import type { Blueprint } from '../../shared/topology/model/blueprint.ts';
import type { Current } from '../../shared/topology/model/current.ts';
import type { Desired } from '../../shared/topology/model/desired.ts';
import { fakeReads, type ReadFault } from './fake-reads.ts';
import { nothingYet, settledNames, settledVersions } from './settled-topology.ts';
import { aBlueprint } from './topology.ts';

/** What shall be there of this blueprint under the settled names. */
export function desiredFor(blueprint: Blueprint = aBlueprint(), current: Current = nothingYet): Desired {
  const desired = computeDesired({ blueprint, current, names: settledNames, versions: settledVersions() });
  if (!desired.ok) {
    throw new Error(desired.error);
  }
  return desired.value;
}

/** The object that an apply of this intent makes, with the record of who owns what. `more` is laid over it. */
export function applied(intent: Intent, more: JsonObject = {}): Unstructured {
  const { apiVersion, metadata } = intent;
  const managedFields = [
    { manager: 'capi-topology', operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1: fieldsOf(intent) },
  ];
  const uid = `uid-of-${metadata.name}`;
  const stored = { ...intent, metadata: { ...metadata, uid, resourceVersion: '7', managedFields } };
  // Names are there, and merging takes none away.
  return mergeDeep(stored, more) as unknown as Unstructured;
}

/** Lists, selectors and what has a member `atomic` are taken for atomic. */
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

/** All of it is there as it is desired. */
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
  return Object.fromEntries(entries) as { readonly [Part in keyof T]: Unstructured }; // one object for each intent
}

/** Every object of what is there. */
export function objectsOf(current: Current): readonly Unstructured[] {
  const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = current;
  const parts = [{ infrastructureCluster }, controlPlane, ...machineDeployments.values(), ...machinePools.values()];
  return parts.flatMap(part => Object.values(part)).filter(object => object !== undefined);
}

export interface TryingServer {
  /** `<Kind> <name>` of every dry run. */
  readonly dryRuns: readonly string[];
  readonly ask: ReturnType<typeof fakeReads> & { readonly dryRun: { apply: Apply } };
}

type Apply = (intent: Intent, options: ApplyOptions) => Promise<Answer<Unstructured>>;

export interface Refused {
  /** `<Kind> <name>` */
  readonly at: string;
  readonly message: string;
  /** Of the two dry runs of an object. Default 1. */
  readonly dryRun?: 1 | 2;
}

/** Holds these objects. An apply lays its fields over them, and takes away what the topology owned and does not name any more. */
export function aTryingServer(
  objects: readonly Unstructured[],
  refusals: readonly Refused[] = [],
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
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly { readonly fieldsV1: JsonObject }[] }; // as `applied` made it
  return managedFields[0]?.fieldsV1 ?? {};
}

/** What stays of an object whose owned leaves are taken away. */
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

export interface ImaginedWrites {
  readonly lines: readonly string[];
  readonly outcomes: Outcomes;
}

/** What becomes of actions. `failing`: by action id. New objects get the uid `new-<name>`. */
export function imagineWrites(
  actions: readonly Action[],
  failing: Readonly<Record<string, FailureReason>> = {},
): ImaginedWrites {
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

/** What an apply sends. */
export function appliedBy(actions: readonly Action[], id: string): Intent {
  const action = actions.find(each => each.id === id);
  if (action?.do !== 'apply') {
    throw new Error(`No apply ${id} among ${actions.map(each => each.id).join(', ')}`);
  }
  return action.object;
}

/** Every object that shall be there. */
export function intentsOf(desired: Desired): readonly Intent[] {
  const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = desired;
  const parts = [{ infrastructureCluster }, controlPlane, ...machineDeployments.values(), ...machinePools.values()];
  return parts
    .flatMap((part): readonly (Intent | undefined)[] => Object.values(part))
    .filter(each => each !== undefined);
}
