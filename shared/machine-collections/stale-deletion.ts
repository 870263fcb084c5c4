// The conditions of an owner about Machines whose deletion takes long, and the condition Deleting.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { type ConditionDraft, getCondition } from '@capi-serverless/cluster-api/conditions';
import { delaysIn, slowDeletionMs, slowDrainMs } from './drain-delays.ts';
import { listNames, namesShown } from './listed-names.ts';
import type { ReportingMachine } from './machine-source.ts';

export interface DeletedMachine extends ReportingMachine {
  readonly status: ReportingMachine['status'] & {
    readonly deletion: { readonly nodeDrainStartTime?: string | undefined };
  };
}

/** Returns a line that begins with a line break, or "" if no deletion takes long. */
export function staleDeletion(machines: readonly DeletedMachine[], now: Instant): string {
  const stale = machines.filter(({ metadata }) => isOlder(metadata.deletionTimestamp, slowDeletionMs, now));
  if (stale.length === 0) {
    return '';
  }
  const names = listNames(stale, namesShown);
  const subject = stale.length === 1 ? `Machine ${names} is` : `Machines ${names} are`;
  const delays = delaysIn(...stale.flatMap(machine => slowDrainMessage(machine, now)));
  const likely = delays.length === 0 ? '' : `, delay likely due to ${delays.join(', ')}`;
  return `\n* ${subject} in deletion since more than 15m${likely}`;
}

function slowDrainMessage({ status }: DeletedMachine, now: Instant): readonly string[] {
  const deleting = getCondition(status.conditions, 'Deleting');
  const isDraining = deleting?.status === 'True' && deleting.reason === 'DrainingNode';
  return isDraining && isOlder(status.deletion.nodeDrainStartTime, slowDrainMs, now) ? [deleting.message] : [];
}

function isOlder(time: string | undefined, ms: number, now: Instant): boolean {
  const start = instantOf(time);
  return start !== undefined && now - start > ms;
}

const type = 'Deleting';

export const notDeleting: ConditionDraft = { type, status: 'False', reason: 'NotDeleting', message: '' };
export const deletionCompleted: ConditionDraft = deletingWith('Deletion completed');

/** The condition Deleting while Machines exist. */
export function deletingMachines(machines: readonly DeletedMachine[], now: Instant): ConditionDraft {
  const { length } = machines;
  return deletingWith(`Deleting ${length} ${length === 1 ? 'Machine' : 'Machines'}${staleDeletion(machines, now)}`);
}

/** The condition Deleting of an object that is being deleted. */
export function deletingWith(message: string): ConditionDraft {
  return { type, status: 'True', reason: type, message };
}
