// What the infrastructures of a Machine and of a MachinePool have in common: what they wait for, and their end.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { readBoolean, valueOr } from '@capi-serverless/cluster-api/contract';
import { ordersOf } from '../orders.ts';
import { progressOf, toInstant } from '../progress.ts';
import type { MachineControllerDeletionPlan, MachineControllerInput } from './machine-controller.ts';
import { numberAt, textAt } from './read.ts';

export const defaultSeconds = 1;
/** The retry interval. The removal of the annotation also enqueues the object. */
const hangingSeconds = 60;

interface Awaited {
  readonly cluster: Unstructured;
  /** The Machine or the MachinePool. `undefined` until it has set its owner reference. */
  readonly owner: Unstructured | undefined;
  readonly ownerKind: 'Machine' | 'MachinePool';
  /** The field of the owner with the name of the bootstrap data. */
  readonly dataSecretName: string;
}

/** Machines start when the Cluster has infrastructure and the bootstrap data exists. */
export function whyWaiting({ cluster, owner, ownerKind, dataSecretName }: Awaited): string | undefined {
  if (owner === undefined) {
    return `Waiting for the ${ownerKind} to set its owner reference`;
  }
  if (!valueOr(readBoolean(cluster, 'status.initialization.infrastructureProvisioned'), false)) {
    return 'Waiting for Cluster status.initialization.infrastructureProvisioned';
  }
  return textAt(owner, dataSecretName) === '' ? 'Waiting for bootstrap data' : undefined;
}

export function notReady(reason: string, message: string): ConditionDraft {
  return { type: 'Ready', status: 'False', reason, message };
}

/** Returns the end of an infrastructure whose machines stop in this one step. */
export function stopping(step: string): (input: MachineControllerInput) => Promise<MachineControllerDeletionPlan> {
  return async ({ object, now }) => {
    const held = ordersOf(object).deleteHang;
    const seconds = numberAt(object, 'spec.deletionSeconds') ?? defaultSeconds;
    const startedAt = toInstant(object.metadata.deletionTimestamp, now);
    const progress = progressOf({ steps: [step], startedAt, seconds, now, held });
    const message = progress.done ? 'Deletion completed' : progress.step;
    return {
      done: progress.done,
      actions: [],
      status: {},
      conditions: [
        { type: 'Deleting', status: 'True', reason: progress.done ? 'DeletionCompleted' : 'Deleting', message },
        notReady('Deleting', message),
      ],
      ...(progress.done ? {} : { requeueAfterSeconds: held ? hangingSeconds : progress.secondsLeft }),
    };
  };
}
