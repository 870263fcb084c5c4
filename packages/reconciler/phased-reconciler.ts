// A reconciler whose pass has a plan: the writes of its phases, and what they lead to. Pure.
import type { Instant } from '@capi-serverless/apimachinery';
import { type EarlyEnd, isEarlyEnd, reportEarlyEnd } from './early-end.ts';
import type { Action, Outcomes, Pass, Reconciler, Report, Stop } from './types.ts';

/** The plan of a pass that runs its phases. */
export interface WholePlan {
  readonly actions: readonly Action[];
}

interface PhasedParts<Ports, Seen, Plan extends WholePlan>
  extends Pick<Reconciler<Ports, Plan>, 'declaration' | 'reportsLateReads'> {
  /** Reads objects. The gates of a pass return an early end. */
  observe(...args: Parameters<Reconciler<Ports, Seen>['observe']>): Promise<Seen | EarlyEnd | Stop>;
  /** Pure. It runs once per pass. */
  plan(seen: Seen, pass: Pick<Pass, 'now'>): Plan;
  /** Pure. Returns the report of a pass that ran its phases. */
  report(plan: Plan, outcomes: Outcomes, now: Instant): Report;
  /** Required if `observe` has a memory of its process. */
  forNewProcess?(): Reconciler<Ports, Plan | EarlyEnd>;
}

/** `decide` returns the actions of the plan. `report` gets the same plan. */
export function phasedReconciler<Ports, Seen extends object, Plan extends WholePlan>(
  parts: PhasedParts<Ports, Seen, Plan>,
): Reconciler<Ports, Plan | EarlyEnd> {
  const { observe, plan, report, ...declared } = parts;
  return {
    ...declared,
    async observe(primary, ask, pass) {
      const seen = await observe(primary, ask, pass);
      return isStop(seen) || isEarlyEnd(seen) ? seen : plan(seen, pass);
    },
    decide: ({ actions }) => actions,
    report: (planned, outcomes, now) =>
      isEarlyEnd(planned) ? reportEarlyEnd(planned, outcomes, now) : report(planned, outcomes, now),
  };
}

function isStop(seen: object): seen is Stop {
  return 'stop' in seen;
}
