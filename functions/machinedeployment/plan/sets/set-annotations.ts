// The annotations of the MachineSets of a deployment.
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
import { onDelete, type RolloutLimits } from '../rollout/limits.ts';
import type { SetRevision } from './next-revision.ts';

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
