// The conditions Ready and UpToDate of Machines, aggregated by their owners.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import {
  aggregateConditions,
  type ConditionDraft,
  hasCondition,
  orInternalError,
} from '@capi-serverless/cluster-api/conditions';
import { type ReportingMachine, toMachineSource } from './machine-source.ts';

/** A Machine without the condition UpToDate is ignored for this time after its creation. */
const upToDateGraceMs = 10_000;

interface Rules {
  readonly sourceType: string;
  readonly reasons: { readonly issue: string; readonly unknown: string; readonly info: string };
}

const ready: Rules = {
  sourceType: 'Ready',
  reasons: { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' },
};
const upToDate: Rules = {
  sourceType: 'UpToDate',
  reasons: { issue: 'NotUpToDate', unknown: 'UpToDateUnknown', info: 'UpToDate' },
};

/** `type` is the type of the result. */
export function machinesReady(type: string, machines: readonly ReportingMachine[]): ConditionDraft {
  return aggregated(type, machines, ready);
}

/** `type` is the type of the result. New Machines without the condition are ignored. */
export function machinesUpToDate(type: string, machines: readonly ReportingMachine[], now: Instant): ConditionDraft {
  return aggregated(
    type,
    machines.filter(machine => isJudged(machine, now)),
    upToDate,
  );
}

function aggregated(
  type: string,
  machines: readonly ReportingMachine[],
  { sourceType, reasons }: Rules,
): ConditionDraft {
  return machines.length === 0
    ? { type, status: 'True', reason: 'NoReplicas', message: '' }
    : orInternalError(
        aggregateConditions(machines.map(toMachineSource), sourceType, { targetType: type, reasons }),
        type,
      );
}

function isJudged({ metadata, status }: ReportingMachine, now: Instant): boolean {
  const age = now - (instantOf(metadata.creationTimestamp) ?? Number.NaN);
  return hasCondition(status.conditions, 'UpToDate') || age > upToDateGraceMs;
}
