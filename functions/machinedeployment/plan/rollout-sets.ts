// The MachineSets of one pass: which one is current, which ones are old, and their numbers.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { isControlledBy } from '../../../shared/machine-collections/controlled-by.ts';
import { revisionAnnotation } from '../../../shared/machine-collections/keys.ts';
import { templateDifferences } from '../../../shared/machine-collections/template-differences.ts';
import type { Digest } from '../../../shared/names/random-characters.ts';
import type { ObservedDeployment, SetsRead } from '../seen.ts';
import { type RolloutLimits, toLimits } from './rollout/limits.ts';
import { byAge, type SetCounts } from './rollout/rollout-plan.ts';
import { chooseCurrentSet, type RolloutTime, type SetCandidate } from './sets/current-set.ts';
import { type SetName, setNameOf } from './sets/desired-set.ts';

export interface PlannedSet extends SetCandidate {
  readonly set: WholeMachineSet;
}

export interface RolloutSets {
  readonly limits: RolloutLimits;
  readonly time: RolloutTime;
  /** Absent if no MachineSet has the current template. */
  readonly current: PlannedSet | undefined;
  /** The oldest is first. */
  readonly old: readonly PlannedSet[];
}

type ListedSets = Extract<SetsRead, { state: 'listed' }>;

/** The number of names that are tried for a new MachineSet. Other names belong to others. */
const mostNames = 5;

export function toRolloutSets(seen: ObservedDeployment, { owned }: ListedSets, digest: Digest): RolloutSets {
  const { deployment, machines, now } = seen;
  const { replicas = 0, template } = deployment.spec;
  const time = { after: afterOf(deployment), now };
  const candidates = owned.map(set => {
    const counts = countsOf(set, machines);
    return {
      set,
      counts: isMadeForRestart(deployment, set, digest)
        ? { ...counts, createdAt: laterOf(counts.createdAt, time) }
        : counts,
      isUpToDate: templateDifferences(set.spec.template.spec, template.spec).length === 0,
      isDeleting: set.metadata.deletionTimestamp !== undefined,
    };
  });
  const { current, old } = chooseCurrentSet(candidates, time);
  return {
    limits: toLimits(toStrategy(deployment), replicas),
    time,
    current,
    old: old.toSorted((a, b) => byAge(a.counts, b.counts)),
  };
}

function toStrategy({ spec: { rollout } }: WholeMachineDeployment) {
  const { type, rollingUpdate } = rollout.strategy;
  return { type, maxSurge: rollingUpdate.maxSurge, maxUnavailable: rollingUpdate.maxUnavailable };
}

/** `undefined` if no restart is scheduled. */
function afterOf({ spec: { rollout } }: WholeMachineDeployment): Instant | undefined {
  return instantOf(rollout.after);
}

/** The milliseconds until MachineSets are replaced because of their age. */
export function waitForRestart(deployment: WholeMachineDeployment, now: Instant): number | undefined {
  const after = afterOf(deployment);
  return after === undefined || after <= now ? undefined : after - now;
}

function laterOf(createdAt: Instant, { after = createdAt }: RolloutTime): Instant {
  return Math.max(createdAt, after);
}

/**
 * The creation time comes from the clock of the API server, which can be behind. The name shows that the MachineSet was
 * created for this restart.
 */
function isMadeForRestart(deployment: WholeMachineDeployment, { metadata }: WholeMachineSet, digest: Digest): boolean {
  const revision = metadata.annotations[revisionAnnotation];
  return (
    afterOf(deployment) !== undefined &&
    revision !== undefined &&
    namesOf(deployment, { revision, isRestart: true }, digest).some(({ name }) => name === metadata.name)
  );
}

interface NamedSet {
  readonly revision: string;
  /** Whether older MachineSets are replaced because of their age. */
  readonly isRestart: boolean;
}

/** Returns the names that a new MachineSet can have, in order. */
export function namesOf(
  deployment: WholeMachineDeployment,
  { revision, isRestart }: NamedSet,
  digest: Digest,
): readonly SetName[] {
  const { template, rollout } = deployment.spec;
  const { version, failureDomain, bootstrap, infrastructureRef } = template.spec;
  const named = {
    deployment,
    template: { version, failureDomain, bootstrap, infrastructureRef },
    revision,
    after: isRestart ? rollout.after : undefined,
  };
  return Array.from({ length: mostNames }, (_, attempt) => setNameOf(named, attempt, digest));
}

/** Counts more Machines, and fewer available ones, if status and Machines differ. */
export function countsOf({ metadata, spec, status }: WholeMachineSet, machines: readonly WholeMachine[]): SetCounts {
  const own = machines.filter(machine => isControlledBy(machine, metadata.uid));
  const available = own.filter(machine => isTrue(machine.status.conditions, 'Available')).length;
  return {
    name: metadata.name,
    createdAt: createdAt(metadata),
    spec: spec.replicas ?? 0,
    status: Math.max(status.replicas ?? 0, own.length),
    available: Math.min(status.availableReplicas ?? 0, available),
    upToDate: status.upToDateReplicas ?? 0,
  };
}

function createdAt({ creationTimestamp }: { readonly creationTimestamp?: string }): Instant {
  return instantOf(creationTimestamp) ?? 0;
}
