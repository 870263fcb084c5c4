// The common part of the simulated Machine controllers: ownership, pause, finalizer, status.
// https://cluster-api.sigs.k8s.io/developer/core/controllers/machine

import {
  type Instant,
  type Kind,
  memberOf,
  type Name,
  type ObjectRef,
  pluralOf,
  type Reads,
  toDisplayName,
  toRecord,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import {
  type ConditionDraft,
  pausedAnnotation,
  setCondition,
  storedConditions,
} from '@capi-serverless/cluster-api/conditions';
import type { Action, Outcomes, PolicyRule, Report, SourceEvent, Stop, Watch } from '@capi-serverless/reconciler';
import { readCluster } from '../../../shared/api/cluster/reader.ts';
import type { SimulatedProviderReconciler } from '../simulated-loss.ts';
import { controllerOf, find, must, textAt } from './read.ts';

/** The actions of one pass on an object, and the status that the pass reports. */
export interface MachineControllerPlan {
  readonly actions: readonly Action[];
  /** Fields below `status`. `undefined` removes a field. */
  readonly status: Readonly<Record<string, unknown>>;
  readonly conditions: readonly ConditionDraft[];
  /** The time until the next reconcile without an event. */
  readonly requeueAfterSeconds?: number;
}

/** The plan for an object that is being deleted. */
export interface MachineControllerDeletionPlan extends MachineControllerPlan {
  /** Whether all objects that belong to it are gone. */
  readonly done: boolean;
}

export interface MachineControllerInput {
  readonly object: Unstructured;
  readonly ask: Reads;
  readonly now: Instant;
}

export interface MachineController {
  /** The name of the function. */
  readonly name: string;
  readonly kind: string;
  /** Default: the kind of Cluster API with this name. */
  readonly primary?: Kind;
  /** The name of its Cluster. Default: `spec.clusterName`. */
  clusterNameOf?(object: Unstructured): string;
  /** If `undefined`, a deletion needs no cleanup. */
  readonly finalizer?: string;
  /** The top-level status fields and condition types in addition to Paused and Deleting. */
  readonly status: readonly string[];
  readonly conditions: readonly string[];
  readonly rules: readonly PolicyRule[];
  /** The watches in addition to the object itself and its Cluster. */
  readonly watches: readonly Watch[];
  /**
   * Returns whether the object is on simulated infrastructure. Other providers own other objects. The Cluster may not
   * exist.
   */
  isOurs(object: Unstructured, cluster: Unstructured | undefined): boolean;
  keep(around: MachineControllerInput & { readonly cluster: Unstructured }): Promise<MachineControllerPlan>;
  /** Runs only if the finalizer exists. The Cluster may not exist. */
  release?(around: MachineControllerInput): Promise<MachineControllerDeletionPlan>;
}

interface PlannedPass {
  readonly object: Unstructured;
  readonly plan: MachineControllerPlan;
  /** Whether another pass follows immediately. */
  readonly again: boolean;
}

export const coreGroup = 'cluster.x-k8s.io';
export const coreApiVersion = `${coreGroup}/v1beta2`;

export function coreKind(kind: string): Kind {
  return { group: coreGroup, version: 'v1beta2', kind, scope: 'Namespaced' };
}

/** The parts of a Cluster that its machines read. The counters in its status change with each Machine. */
export function toClusterVersion({ metadata, status }: Unstructured): string {
  const initialization = memberOf(status, 'initialization');
  return JSON.stringify([metadata.deletionTimestamp, metadata.generation, initialization]);
}

export function toReconciler(machineController: MachineController): SimulatedProviderReconciler {
  const primary = machineController.primary ?? coreKind(machineController.kind);
  const plural = pluralOf(machineController.kind);
  return {
    declaration: {
      name: machineController.name,
      primary,
      timeoutSeconds: 30,
      fieldManager: machineController.name,
      eventSource: `${machineController.kind.toLowerCase()}-controller`,
      owns: {
        conditions: ['Paused', 'Deleting', ...machineController.conditions],
        v1beta1: [],
        status: machineController.status,
      },
      ports: [],
      rules: [
        {
          apiGroups: [primary.group],
          resources: [plural],
          verbs: ['get', 'list', 'watch', 'patch'],
          why: 'reconciles these objects',
        },
        { apiGroups: [primary.group], resources: [`${plural}/status`], verbs: ['patch'], why: 'reports its state' },
        {
          apiGroups: [coreGroup],
          resources: ['clusters'],
          verbs: ['get', 'list', 'watch'],
          why: 'reads the owning Cluster',
        },
        ...machineController.rules,
      ],
      watches: [
        { source: primary, as: 'metadata', map: ({ object }) => [nameOf(object)] },
        // Pause, resume, provisioned and initialized. Each of them changes the permitted actions on the objects of a
        // Cluster.
        {
          source: coreKind('Cluster'),
          as: 'object',
          map: () => 'expand',
          versionOf: toClusterVersion,
          matches: (object, source) =>
            object.metadata.namespace === source.namespace && clusterOf(machineController, object) === source.name,
        },
        ...machineController.watches,
      ],
    },
    observe: (object, ask, { now }) => observe(machineController, { object, ask, now }),
    // True: if observe does not stop, it returns PlannedPass.
    decide: seen => (seen as PlannedPass).plan.actions,
    report: (seen, outcomes, now) => report(machineController, seen as PlannedPass, { outcomes, now }),
  };
}

const unknownCluster = { ok: false, missing: true } as const;

function clusterOf({ clusterNameOf }: MachineController, object: Unstructured): string {
  return clusterNameOf === undefined ? textAt(object, 'spec.clusterName') : clusterNameOf(object);
}

function nameOf({ metadata }: Pick<Unstructured, 'metadata'>): Name {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

async function observe(
  machineController: MachineController,
  around: MachineControllerInput,
): Promise<PlannedPass | Stop> {
  const { object, ask } = around;
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const isHeld =
    machineController.finalizer === undefined ||
    object.metadata.finalizers?.includes(machineController.finalizer) === true;
  if (isDeleting && (!isHeld || machineController.release === undefined)) {
    return { stop: 'being deleted, and no finalizer of this provider holds it' };
  }
  const ref: ObjectRef = {
    ...toRef(object),
    apiVersion: coreApiVersion,
    kind: 'Cluster',
    name: clusterOf(machineController, object),
  };
  if (ref.name === '' && !isDeleting) {
    return { stop: 'its Cluster is not known' };
  }
  const cluster = ref.name === '' ? unknownCluster : await ask.get(ref);
  if (!cluster.ok && !cluster.missing) {
    return must(cluster, `Reading Cluster ${toDisplayName(ref)}`);
  }
  if (!machineController.isOurs(object, cluster.ok ? cluster.value : undefined)) {
    return { stop: 'not on simulated infrastructure' };
  }
  if (!cluster.ok) {
    return isDeleting ? planDeletion(machineController, around) : { stop: 'its Cluster is not there' };
  }
  const paused = pausedText(object, cluster.value);
  if (paused !== undefined) {
    const condition = { type: 'Paused', status: 'True', reason: 'Paused', message: paused } as const;
    return { object, again: false, plan: { actions: [], status: {}, conditions: [condition] } };
  }
  if (isDeleting) {
    return planDeletion(machineController, around);
  }
  if (!isHeld) {
    return onceMore(object, [finalizers(object, list => [...list, machineController.finalizer ?? ''])]);
  }
  const plan = await machineController.keep({ ...around, cluster: cluster.value });
  return plan.actions.length === 0 || (await isLatest(around)) ? { object, again: false, plan } : onceMore(object, []);
}

function onceMore(object: Unstructured, actions: readonly Action[]): PlannedPass {
  return { object, again: true, plan: { actions, status: {}, conditions: [] } };
}

/**
 * Children are read after the object. In the meantime, another writer may have acted on a newer version of the object.
 * Then the children match a newer spec, and this pass must not change them.
 */
async function isLatest({ object, ask }: MachineControllerInput): Promise<boolean> {
  const latest = await find(ask, toRef(object));
  return latest?.metadata.generation === object.metadata.generation;
}

async function planDeletion(
  machineController: MachineController,
  around: MachineControllerInput,
): Promise<PlannedPass | Stop> {
  const { object } = around;
  const plan = await machineController.release?.(around);
  if (plan === undefined) {
    return { stop: 'no finalizer of this provider holds it' };
  }
  const { done, actions } = plan;
  const last = finalizers(object, list => list.filter(each => each !== machineController.finalizer));
  return { object, again: false, plan: { ...plan, actions: done ? [...actions, last] : actions } };
}

function pausedText(object: Unstructured, cluster: Unstructured): string | undefined {
  const reasons = [
    ...(readCluster(cluster).spec.paused ? ['Cluster spec.paused is set to true'] : []),
    ...(pausedAnnotation in (object.metadata.annotations ?? {})
      ? [`${object.kind} has the ${pausedAnnotation} annotation`]
      : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join(', ');
}

function finalizers(object: Unstructured, change: (list: readonly string[]) => readonly string[]): Action {
  const { resourceVersion, finalizers: list = [] } = object.metadata;
  const body = { metadata: { finalizers: change(list) } };
  return { id: 'finalizers', onError: 'stop', do: 'patch', ref: toRef(object), body, resourceVersion };
}

function report(
  machineController: MachineController,
  { object, plan, again }: PlannedPass,
  { outcomes, now }: { readonly outcomes: Outcomes; readonly now: Instant },
): Report {
  const failure = failureOf(outcomes);
  const { generation, deletionTimestamp } = object.metadata;
  const drafts: readonly ConditionDraft[] = [
    { type: 'Paused', status: 'False', reason: 'NotPaused' },
    deletionTimestamp === undefined
      ? { type: 'Deleting', status: 'False', reason: 'NotDeleting' }
      : { type: 'Deleting', status: 'True', reason: 'Deleting' },
    // A later condition of the same type has precedence.
    ...plan.conditions,
  ];
  const before = storedConditions(toRecord(object.status)['conditions']);
  const last = new Map(drafts.map(draft => [draft.type, draft]));
  const conditions = [...last.values()].reduce((list, draft) => setCondition(list, draft, { generation, now }), before);
  const observed = machineController.status.includes('observedGeneration') ? { observedGeneration: generation } : {};
  return {
    // The first pass only adds the finalizer. The second pass writes the status.
    ...(again ? {} : { status: { status: { ...toRecord(object.status), ...observed, ...plan.status, conditions } } }),
    events: [],
    result:
      failure === undefined
        ? toResult(plan, again)
        : {
            kind: 'failed',
            error: new Error(`${machineController.kind} ${toDisplayName(object.metadata)}: ${failure}`),
            terminal: false,
          },
  };
}

function toResult({ requeueAfterSeconds }: MachineControllerPlan, again: boolean): Report['result'] {
  if (again) {
    return { kind: 'again' };
  }
  return requeueAfterSeconds === undefined
    ? { kind: 'done' }
    : { kind: 'requeueAfter', ms: requeueAfterSeconds * 1000 };
}

function failureOf(outcomes: Outcomes): string | undefined {
  for (const [id, outcome] of outcomes) {
    if (outcome.state === 'failed') {
      return `${id}: ${outcome.failure.message}`;
    }
  }
  return undefined;
}

/** Returns the object of this kind that controls the changed object. */
export function toController(kind: string): (event: SourceEvent) => readonly Name[] {
  return ({ object }) => {
    const owner = controllerOf(object);
    return owner?.kind === kind ? [{ namespace: object.metadata.namespace ?? '', name: owner.name }] : [];
  };
}
