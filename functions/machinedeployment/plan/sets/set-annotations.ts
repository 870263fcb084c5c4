// The annotations of the MachineSets of a deployment.
import {
  type Checked,
  mapChecked,
  prefixed,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import type { WholeMachineDeployment } from '../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import {
  acknowledgedMoveAnnotation,
  desiredReplicasAnnotation,
  disableMachineCreateAnnotation,
  maxReplicasAnnotation,
  moveMachinesAnnotation,
  receiveMachinesAnnotation,
  revisionAnnotation,
  revisionHistoryAnnotation,
} from '../../../../shared/machine-collections/keys.ts';
import { revisionOf } from '../../../../shared/machine-collections/revision-number.ts';
import { onDelete, type RolloutLimits } from '../rollout/limits.ts';

type Annotations = Readonly<Record<string, string>>;

const notCopied: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'cluster.x-k8s.io/conversion-data',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
];

/** The annotations of the deployment, and its numbers. An annotation that the deployment loses disappears. */
export function commonAnnotations(
  { metadata: { annotations } }: WholeMachineDeployment,
  { replicas, surge }: RolloutLimits,
): Annotations {
  const copied = Object.entries(annotations).filter(([key]) => !notCopied.includes(key));
  return {
    ...Object.fromEntries(copied),
    [desiredReplicasAnnotation]: String(replicas),
    [maxReplicasAnnotation]: String(replicas + surge),
  };
}

interface CurrentSetAnnotations {
  readonly revision: SetRevision;
  /** The names of the MachineSets that hand Machines over. */
  readonly receivesFrom: readonly string[];
  /** The moved Machines. Absent if there are none. */
  readonly acknowledged: string | undefined;
}

export function currentSetAnnotations({ revision, receivesFrom, acknowledged }: CurrentSetAnnotations): Annotations {
  return {
    [revisionAnnotation]: revision.number,
    ...optional(revisionHistoryAnnotation, revision.history),
    [disableMachineCreateAnnotation]: 'false',
    ...(receivesFrom.length === 0 ? {} : { [receiveMachinesAnnotation]: receivesFrom.join(',') }),
    ...optional(acknowledgedMoveAnnotation, acknowledged),
  };
}

interface OldSetAnnotations {
  /** The stored annotations of the MachineSet. */
  readonly stored: Annotations;
  readonly strategy: string;
  /** The MachineSet that gets the Machines. Absent if they are deleted. */
  readonly movesTo: string | undefined;
}

/** An old MachineSet keeps its revision. */
export function oldSetAnnotations({ stored, strategy, movesTo }: OldSetAnnotations): Annotations {
  return {
    ...optional(revisionAnnotation, stored[revisionAnnotation]),
    ...optional(revisionHistoryAnnotation, stored[revisionHistoryAnnotation]),
    [disableMachineCreateAnnotation]: String(strategy === onDelete),
    ...optional(moveMachinesAnnotation, movesTo),
  };
}

function optional(key: string, value: string | undefined): Annotations {
  return value === undefined ? {} : { [key]: value };
}

export interface SetRevision {
  readonly number: string;
  /** The earlier revisions, separated by commas. Absent if there are none. */
  readonly history: string | undefined;
}

/**
 * Returns a revision that is higher than those of all old MachineSets. Fails if the MachineSet has a revision that is no
 * number. Such revisions of old MachineSets are ignored.
 */
export function nextRevision(set: Unstructured | undefined, old: readonly Unstructured[]): Checked<SetRevision> {
  const highest = old.map(revisionOf).reduce((most, each) => (each.ok && each.value > most ? each.value : most), 0n);
  const next = highest + 1n;
  if (set === undefined) {
    return valid({ number: String(next), history: undefined });
  }
  const problem = `failed to parse current revision on MachineSet ${toDisplayName(set.metadata)}`;
  return mapChecked(prefixed(revisionOf(set), problem), own => {
    const { annotations = {} } = set.metadata;
    const { [revisionAnnotation]: recorded, [revisionHistoryAnnotation]: history } = annotations;
    return own >= next
      ? { number: String(own), history }
      : { number: String(next), history: withRevision(history, recorded) };
  });
}

function withRevision(history: string | undefined, revision: string | undefined): string | undefined {
  return revision === undefined ? history : [...(history ? [history] : []), revision].join(',');
}
