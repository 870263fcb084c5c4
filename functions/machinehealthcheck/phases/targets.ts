// Facts about all selected Machines of a pass. Pure.
import type { MachineHealthCheck } from '../../../shared/api/machine-health-check/reader.ts';
import type { Health, JudgedTarget } from './health.ts';
import type { TargetCounts } from './trigger.ts';

export function countsOf(targets: readonly JudgedTarget[]): TargetCounts {
  const countOf = (state: Health['state']): number => targets.filter(({ health }) => health.state === state).length;
  return {
    expected: targets.length,
    healthy: countOf('healthy'),
    unhealthy: countOf('unhealthy'),
  };
}

/** Whether another controller remediates the Machines, instead of their owners. */
export function isExternal({ spec }: MachineHealthCheck): boolean {
  const { apiVersion, kind, name } = spec.remediation.templateRef;
  return apiVersion !== '' || kind !== '' || name !== '';
}
