// The billable units of a deployment that is described by a profile. test/infra/cost.test.ts compares them with templates.
import type { BillableUnits } from '../../infra/billable-units.ts';
import { type AssumedProfile, type DeclaredFigures, deployed } from './items.ts';

export function toUnits(profile: AssumedProfile, figures: DeclaredFigures): BillableUnits {
  const { standardQueues } = figures;
  const isCapped = profile.plumbing === 'capped';
  return {
    workQueues: toWorkQueues(profile, figures),
    cappedQueues: isCapped ? standardQueues : 0,
    uncappedQueues: isCapped ? 0 : standardQueues,
    secrets: deployed.secrets[profile.apiServer],
    alarmMetrics: toAlarmMetrics(profile, figures),
    dashboards: [deployed.dashboardMetrics],
  };
}

function toWorkQueues(
  { layout }: Pick<AssumedProfile, 'layout'>,
  { reconcilers }: Pick<DeclaredFigures, 'reconcilers'>,
): number {
  return layout === 'compact' ? Math.min(1, reconcilers) : reconcilers;
}

/** The number of alarm metrics of a deployment with one forwarder. Each queue has a function. */
export function toAlarmMetrics(
  profile: Pick<AssumedProfile, 'alarms' | 'windowed' | 'layout'>,
  figures: Pick<DeclaredFigures, 'reconcilers' | 'standardQueues'>,
): number {
  const { alarms, windowed } = profile;
  const { perFunction, perForwarder, perWindowedForwarder, always } = deployed.alarmMetrics;
  const functions = toWorkQueues(profile, figures) + figures.standardQueues + (windowed ? 1 : 0);
  const more = alarms === 'errors' ? 0 : always + (windowed ? perWindowedForwarder : perForwarder);
  return functions * perFunction + more;
}
