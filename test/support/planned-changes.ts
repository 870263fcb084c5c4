// Plans changes of one settled topology for tests, executes their writes, and returns written, refused and reported
// objects.

import type { FailureReason, Intent, Unstructured } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { answerQuestions } from '@capi-serverless/reconciler';
import { eventsOf } from '@capi-serverless/reconciler/runner';
import { changeAnswers } from '../../functions/topology/observe/planning.ts';
import type { ChangesInput } from '../../functions/topology/plan/changes/changes-input.ts';
import {
  type Changes,
  problemOfChanges,
  toActions,
  toClusterRefs,
} from '../../functions/topology/plan/changes/ordered-changes.ts';
import { planChanges } from '../../functions/topology/plan/changes/topology-changes.ts';
import type { Desired } from '../../functions/topology/plan/desired/desired-topology.ts';
import type { ReadFault } from './fake-reads.ts';
import { settledNames, settledVersions } from './settled-topology.ts';
import {
  aTryingServer,
  desiredFor,
  objectsOf,
  overlayWrites,
  type RefusedWrite,
  settledAs,
} from './topology-changes.ts';
import { aBlueprint, aTopologyClass, settled } from './topology-objects.ts';

export const clusterPatch = {
  id: 'patch Cluster',
  onError: 'stop',
  do: 'patch',
  ref: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns1', name: 'c1' },
  body: {},
} as const;

const checked = { healthCheck: { checks: { nodeStartupTimeoutSeconds: 600 } } };

export const blueprint = aBlueprint({
  clusterClass: aTopologyClass({ controlPlane: checked, machineDeployment: checked }),
});

export const desired = desiredFor(blueprint);
export const current = settledAs(desired);

interface Played {
  readonly input?: Partial<ChangesInput>;
  readonly refusals?: readonly RefusedWrite[];
  readonly faults?: readonly ReadFault[];
  readonly failing?: Readonly<Record<string, FailureReason>>;
  /** Further existing objects. */
  readonly others?: readonly Unstructured[];
}

export async function play({ input = {}, refusals = [], faults = [], failing = {}, others = [] }: Played = {}) {
  const whole: ChangesInput = {
    blueprint,
    current,
    desired,
    names: settledNames,
    versions: settledVersions(),
    ...input,
  };
  const server = aTryingServer([...objectsOf(whole.current), ...others], refusals, faults);
  const changes = await planWith(whole, server.ask);
  const actions = toActions(changes, whole.current, clusterPatch);
  const { lines, outcomes } = overlayWrites(actions, failing);
  const reported = eventsOf(actions, outcomes);
  return {
    actions,
    lines: lines.filter(line => line !== clusterPatch.id),
    patchesCluster: lines.includes(clusterPatch.id),
    dryRuns: server.dryRuns,
    failure: problemOfChanges(changes, outcomes, clusterPatch),
    events: reported.map(({ reason, message }) => `${reason} ${message}`),
    about: reported.flatMap(({ about }) => (about === undefined ? [] : [about.metadata.name])),
    refs: toClusterRefs({ ...whole, changes }, outcomes),
  };
}

/** Plans the writes with the answers of this server. */
export function planWith(input: ChangesInput, ask: Parameters<typeof changeAnswers>[0]): Promise<Changes> {
  return answerQuestions(planChanges(input), changeAnswers(ask));
}

export const infra = `GenericInfrastructureCluster ${settled.infrastructureCluster}`;
export const controlPlane = `KubeadmControlPlane ${settled.controlPlane}`;
export const cpTemplate = `GenericInfrastructureMachineTemplate ${settled.controlPlaneMachineTemplate}`;
export const md = `MachineDeployment ${settled.md1.object}`;
export const mdInfra = `GenericInfrastructureMachineTemplate ${settled.md1.infrastructure}`;

/** Returns the object with this value at a dotted path. */
export function changed<T extends object>(object: T, path: string, value: unknown): T {
  return setAt(object, path, value);
}

export const mdOf = (of: Desired) => of.machineDeployments.get('md1') ?? fail();

export function fail(): never {
  throw new Error('The fixture has md1 and mp1');
}

export function withMd(change: Partial<ReturnType<typeof mdOf>>): Desired {
  return { ...desired, machineDeployments: new Map([['md1', { ...mdOf(desired), ...change }]]) };
}

export function withCp(change: Partial<Desired['controlPlane']>): Desired {
  return { ...desired, controlPlane: { ...desired.controlPlane, ...change } };
}

export const cpMachine = desired.controlPlane.machineTemplate ?? fail();
export const bigger = (template: Intent): Intent => changed(template, 'spec.template.spec.size', 'huge');
