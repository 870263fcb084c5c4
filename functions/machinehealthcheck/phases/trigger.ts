// The circuit breaker: whether remediation is allowed for this number of Machines that are not healthy. Pure.
import { type Checked, invalid, mapChecked, valid } from '@capi-serverless/apimachinery';
import type { MachineHealthCheck, RemediationTrigger } from '../../../shared/api/machine-health-check/reader.ts';
import type { Health, JudgedTarget } from './health.ts';

export interface TargetCounts {
  readonly expected: number;
  readonly healthy: number;
  /** Machines that are known to be unhealthy. */
  readonly unhealthy: number;
}

export type TriggerState =
  | { readonly isAllowed: true; readonly remaining: number }
  | { readonly isAllowed: false; readonly message: string };

const maxUint32 = 2 ** 32 - 1;

/** The decision counts all Machines that are not healthy. As in upstream, the message counts those that are unhealthy. */
export function triggerState(trigger: RemediationTrigger, counts: TargetCounts): Checked<TriggerState> {
  const notHealthy = counts.expected - counts.healthy;
  const { unhealthyInRange, unhealthyLessThanOrEqualTo = '100%' } = trigger;
  return unhealthyInRange === ''
    ? mapChecked(limitOf(unhealthyLessThanOrEqualTo, counts.expected), limit =>
        notHealthy <= limit
          ? { isAllowed: true, remaining: limit - notHealthy }
          : restricted(counts, 'exceeds maxUnhealthy', `maxUnhealthy: ${unhealthyLessThanOrEqualTo}`),
      )
    : mapChecked(parseRange(unhealthyInRange), ({ min, max }) =>
        min <= notHealthy && notHealthy <= max
          ? { isAllowed: true, remaining: max - notHealthy }
          : restricted(counts, 'does not fall within the range', `unhealthyRange: ${unhealthyInRange}`),
      );
}

function restricted({ expected, unhealthy }: TargetCounts, problem: string, limit: string): TriggerState {
  const subject = 'Remediation is not allowed, the number of not started or unhealthy machines';
  return {
    isAllowed: false,
    message: `${subject} ${problem} (total: ${expected}, unhealthy: ${unhealthy}, ${limit})`,
  };
}

/** The errors have upstream's texts. */
function limitOf(limit: number | string, expected: number): Checked<number> {
  if (typeof limit === 'number') {
    return valid(limit);
  }
  const problem = 'invalid value for IntOrString';
  if (!limit.endsWith('%')) {
    return invalid(`${problem}: invalid type: string is not a percentage`);
  }
  const digits = limit.slice(0, -1);
  const percent = /^[+-]?\d+$/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(percent)
    ? valid(Math.floor((percent * expected) / 100))
    : invalid(`${problem}: invalid value "${limit}": strconv.Atoi: parsing "${digits}": invalid syntax`);
}

interface Range {
  readonly min: number;
  readonly max: number;
}

function parseRange(text: string): Checked<Range> {
  const [, from, to] = /^\[(\d+)-(\d+)\]$/.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    return invalid(`invalid value "${text}" for unhealthyRange`);
  }
  const tooLarge = [from, to].find(bound => Number(bound) > maxUint32);
  if (tooLarge !== undefined) {
    return invalid(`strconv.ParseUint: parsing "${tooLarge}": value out of range`);
  }
  const [min, max] = [Number(from), Number(to)];
  return max < min
    ? invalid(`max value ${max} cannot be less than min value ${min} for unhealthyRange`)
    : valid({ min, max });
}

/** Facts about all selected Machines of a pass. */
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
