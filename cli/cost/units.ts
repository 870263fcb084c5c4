// The billable units of a deployment that is described by a profile. test/infra/cost.test.ts compares them with templates.
import type { BillableUnits } from '../../infra/billable-units.ts';
import { type AssumedProfile, type DeclaredFigures, deployed } from './items.ts';

export function toUnits(profile: AssumedProfile, { reconcilers, standardQueues }: DeclaredFigures): BillableUnits {
  const isCapped = profile.plumbing === 'capped';
  return {
    workQueues: profile.layout === 'compact' ? Math.min(1, reconcilers) : reconcilers,
    cappedQueues: isCapped ? standardQueues : 0,
    uncappedQueues: isCapped ? 0 : standardQueues,
    secrets: deployed.secrets[profile.apiServer],
    alarmMetrics: toAlarmMetrics(profile),
    dashboards: [deployed.dashboardMetrics],
  };
}

/** The number of alarm metrics of a deployment with one forwarder. */
export function toAlarmMetrics({ alarms, windowed }: Pick<AssumedProfile, 'alarms' | 'windowed'>): number {
  const { perForwarder, perWindowedForwarder, always } = deployed.alarmMetrics;
  return alarms === 'none' ? 0 : always + (windowed ? perWindowedForwarder : perForwarder);
}
