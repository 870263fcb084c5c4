// The Machines of a simulated control plane whose template references infrastructure. They are created and upgraded one
// at a time. An upgrade creates the new Machine before it deletes the old one.

import {
  type Instant,
  type Reads,
  toDisplayName,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel, readBoolean, valueOr } from '@capi-serverless/cluster-api/contract';
import type { ActuatorSeen, AuthorCondition, ControlPlaneResult } from '@capi-serverless/provider-sdk';
import type { Action, Outcomes, PolicyRule, Reconciler, Report, Stop, Watch } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../shared/api/cluster/reader.ts';
import { controlPlaneLabel } from '../../shared/api/machine/reader.ts';
import { makeMachine, remove, toProviderRef } from './machines/clone.ts';
import { markOutdated } from './machines/control-plane-machine.ts';
import { countMachines, holds, rollingOut, scalingConditions } from './machines/counts.ts';
import { freeNames, nameFrom } from './machines/generated-names.ts';
import { coreKind, toController } from './machines/machine-controller.ts';
import {
  controllerOf,
  fieldsAt,
  find,
  isDeleting,
  must,
  numberAt,
  textAt,
  textsAt,
  together,
} from './machines/read.ts';
import { rolloutAfter, secondsUntilRollout } from './machines/requested-rollout.ts';

const kind = 'SimulatedControlPlane';
const templatePath = 'spec.machineTemplate.spec.infrastructureRef';
/** The annotation of a Machine with the infrastructure template from which it was created. */
const templateAnnotation = 'simulated.capi-serverless.dev/template';

export const machineRights: readonly PolicyRule[] = [
  {
    apiGroups: ['cluster.x-k8s.io'],
    resources: ['machines'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    why: 'creates Machines, marks outdated ones, deletes them',
  },
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'create'],
    why: 'creates the infrastructure and bootstrap objects of Machines from templates',
  },
];

export const machineWatch: Watch = { source: coreKind('Machine'), as: 'metadata', map: toController(kind) };

/** If false, its Machines are only counted. */
export function hasMachines(object: Unstructured): boolean {
  return textAt(object, `${templatePath}.name`) !== '';
}

/** The Machines in the order of their names. */
export async function listMachines(object: Unstructured, ask: Pick<Reads, 'list'>): Promise<readonly Unstructured[]> {
  const { namespace = '', labels = {}, uid } = object.metadata;
  const cluster = labels[clusterNameLabel];
  const selected = { [controlPlaneLabel]: '', ...withoutUndefined({ [clusterNameLabel]: cluster }) };
  const listed = await ask.list({ apiVersion: clusterApiVersion, kind: 'Machine', namespace, labels: selected });
  return must(listed, `Listing Machines of ${kind} ${toDisplayName(object.metadata)}`)
    .filter(machine => controllerOf(machine)?.uid === uid)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

interface SeenWithMachines<Seen> {
  readonly inner: Seen;
  readonly actions: readonly Action[];
  /** The reason why the desired Machines cannot be created. */
  readonly problem?: string;
}

/** Wraps the reconciler, so that it also creates and replaces the Machines of its object, one step per pass. */
export function withMachines<Seen extends object>(
  inner: Reconciler<object, Seen>,
  toActuator: (seen: Seen) => ActuatorSeen,
): Reconciler<object, SeenWithMachines<Seen>> {
  return {
    declaration: inner.declaration,
    async observe(primary, ask, pass): Promise<SeenWithMachines<Seen> | Stop> {
      const seen = await inner.observe(primary, ask, pass);
      if ('stop' in seen) {
        return { stop: String(seen.stop) };
      }
      const known = seen as Seen; // True: it is the union without Stop.
      return { inner: known, ...(await machineActions(toActuator(known), ask, pass.now)) };
    },
    decide: (seen, now) => [...seen.actions, ...inner.decide(seen.inner, now)],
    report: (seen, outcomes, now) => withProblem(inner.report(seen.inner, outcomes, now), seen, outcomes),
  };
}

async function machineActions(
  { object, observation }: ActuatorSeen,
  ask: Reads,
  now: Instant,
): Promise<Pick<SeenWithMachines<unknown>, 'actions' | 'problem'>> {
  if (observation.step === 'delete') {
    const machines = await listMachines(object, ask);
    return { actions: machines.filter(machine => !isDeleting(machine)).map(remove) };
  }
  if (observation.step !== 'normal' || !hasMachines(object)) {
    return { actions: [] };
  }
  const ref = toProviderRef(object, templatePath);
  const [machines, template] = await together([listMachines(object, ask), ref && find(ask, ref)]);
  const actions = nextActions(object, { machines, template, cluster: observation.cluster, now });
  const name = ref && `${ref.kind} ${toDisplayName(ref)}`;
  return template === undefined ? { actions, problem: `${name} does not exist` } : { actions };
}

interface Standing {
  readonly machines: readonly Unstructured[];
  /** `undefined` if the template does not exist and no Machine can be created. */
  readonly template: Unstructured | undefined;
  readonly cluster: Unstructured;
  readonly now: Instant;
}

/** Returns annotations, and at most one Machine to create or delete. Pure. */
function nextActions(object: Unstructured, standing: Standing): readonly Action[] {
  const { machines, template, now } = standing;
  const desired = numberAt(object, 'spec.replicas') ?? 1;
  const alive = machines.filter(machine => !isDeleting(machine));
  const outdated = alive.filter(machine => whyOutdated(object, machine, now) !== undefined);
  const marks = alive.flatMap(machine => markOutdated(machine, whyOutdated(object, machine, now)));
  // A step starts only after the previous step has ended.
  const isSteady = machines.length === alive.length && alive.every(machine => holds(machine, 'Ready'));
  const surge = outdated.length > 0 ? 1 : 0;
  if (alive.length < desired + surge && (isSteady || alive.length === 0)) {
    return template === undefined ? marks : [...marks, ...addMachine(object, { ...standing, template })];
  }
  if (alive.length > desired && isSteady) {
    return [...marks, ...[...outdated, ...alive].slice(0, 1).map(remove)];
  }
  return marks;
}

function whyOutdated(object: Unstructured, machine: Unstructured, now: Instant): string | undefined {
  const [has, wants] = [textAt(machine, 'spec.version'), textAt(object, 'spec.version')];
  if (has !== wants) {
    return `Version ${has}, ${wants} required`;
  }
  const after = rolloutAfter(object, now);
  if (after !== undefined && Date.parse(machine.metadata.creationTimestamp ?? '') < after) {
    return 'It is older than spec.rollout.after';
  }
  const template = machine.metadata.annotations?.[templateAnnotation];
  return template === textAt(object, `${templatePath}.name`)
    ? undefined
    : 'Its template is not that of the control plane';
}

function addMachine(
  object: Unstructured,
  { machines, template, cluster }: Standing & { readonly template: Unstructured },
): readonly Action[] {
  const { name, uid } = object.metadata;
  const taken = machines.map(machine => machine.metadata.name);
  const version = textAt(object, 'spec.version');
  const parts = [uid, version, template.metadata.name] as const;
  const { infrastructureRef: _template, ...spec } = fieldsAt(object, 'spec.machineTemplate.spec');
  return freeNames(1, taken, index => nameFrom(name, ...parts, index)).flatMap(each =>
    makeMachine({
      owner: object,
      name: each,
      cluster: cluster.metadata.name,
      labels: {
        ...textsAt(object, 'spec.machineTemplate.metadata.labels'),
        [controlPlaneLabel]: '',
        'cluster.x-k8s.io/control-plane-name': name,
      },
      annotations: {
        ...textsAt(object, 'spec.machineTemplate.metadata.annotations'),
        [templateAnnotation]: template.metadata.name,
      },
      spec: { ...spec, version },
      infrastructure: template,
      bootstrap: undefined,
    }),
  );
}

/** The status of the control plane, derived from its Machines. */
export function toResult(object: Unstructured, machines: readonly Unstructured[], now: Instant): ControlPlaneResult {
  const desired = numberAt(object, 'spec.replicas') ?? 1;
  const counted = countMachines(machines);
  const before = valueOr(readBoolean(object, 'status.initialization.controlPlaneInitialized'), false);
  const available = counted.readyReplicas > 0;
  // Its API server answers when the first Node is registered. Only then can a Machine become ready.
  const initialized = before || machines.some(machine => textAt(machine, 'status.nodeRef.name') !== '');
  const waiting = initialized
    ? { reason: 'NotAvailable', message: 'No Machine is ready' }
    : { reason: 'StartingFirstMachine', message: 'Starting the first machine' };
  const [lowest] = counted.versions;
  const wait = secondsUntilRollout(object, now);
  const { replicas, readyReplicas, availableReplicas, upToDateReplicas } = counted;
  return {
    initialized,
    available,
    ...(initialized && lowest !== undefined ? { version: lowest.version } : {}),
    versions: initialized ? counted.versions : [],
    counts: { replicas, ready: readyReplicas, available: availableReplicas, upToDate: upToDateReplicas },
    conditions: [
      ...(available
        ? []
        : (['Ready', 'Available'] as const).map(type => ({ type, status: 'False' as const, ...waiting }))),
      ...changeConditions(counted, desired),
    ],
    ...withoutUndefined({ requeueAfter: wait }),
  };
}

function changeConditions(counted: ReturnType<typeof countMachines>, desired: number): readonly AuthorCondition[] {
  const wanted = ['ScalingUp', 'ScalingDown'];
  const scaling = scalingConditions(counted, desired).filter(({ type }) => wanted.includes(type));
  return [rollingOut(counted), ...scaling];
}

function withProblem(report: Report, { actions, problem }: SeenWithMachines<unknown>, outcomes: Outcomes): Report {
  const failed = actions.flatMap(({ id }) => {
    const outcome = outcomes.get(id);
    return outcome?.state === 'failed' ? [`${id} failed: ${outcome.failure.message}`] : [];
  });
  const [first] = [...failed, ...(problem === undefined ? [] : [problem])];
  return first === undefined || report.result.kind === 'failed'
    ? report
    : { ...report, result: { kind: 'failed', error: new Error(first), terminal: false } };
}
