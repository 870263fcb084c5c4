// The time until the next pass. Without a watch of Nodes, timers notice their changes. Pure.
import type { MachineHealthCheck } from '../../../shared/api/machine-health-check/reader.ts';
import type { JudgedTarget } from './health.ts';

const shortestMs = 15_000;
/** Timers may fire up to half of their delay late. Longer re-checks ask for an earlier time. */
const exactUpToMs = 60_000;
const shortestPollMs = 60_000;
const longestPollMs = 600_000;

interface JudgedCheck {
  readonly check: MachineHealthCheck;
  readonly isInitialized: boolean;
  readonly targets: readonly JudgedTarget[];
}

/** `undefined`: nothing changes with time. */
export function nextPassMs({ check, isInitialized, targets }: JudgedCheck): number | undefined {
  const rechecks = targets.flatMap(({ health }) => (health.state === 'pending' ? [early(health.recheckMs)] : []));
  const hasNode = isInitialized && targets.some(({ machine }) => machine.status.nodeRef.name !== '');
  const waits = [...rechecks, ...(hasNode ? [pollMs(check)] : [])];
  return waits.length === 0 ? undefined : Math.max(Math.min(...waits), shortestMs);
}

function early(ms: number): number {
  return ms <= exactUpToMs ? ms : Math.max(Math.round((ms * 2) / 3), exactUpToMs);
}

/** A condition has the time of its last change, so a pass within its timeout finds the exact time of the next one. */
function pollMs({ spec }: MachineHealthCheck): number {
  const timeouts = spec.checks.unhealthyNodeConditions.flatMap(({ timeoutSeconds }) =>
    timeoutSeconds > 0 ? [timeoutSeconds * 1000] : [],
  );
  return Math.min(Math.max(Math.min(...timeouts, longestPollMs), shortestPollMs), longestPollMs);
}
