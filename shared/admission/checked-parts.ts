// Reads the fields of health checks, rollouts and taints that admission checks. Unreadable values are treated as
// absent.
import * as z from 'zod/mini';
import { count, listOf, section, textOrEmpty } from '../api/fields.ts';
import { templateRef } from '../api/topology-parts.ts';

const amount = z.catch(z.optional(z.union([z.number(), z.string()])), undefined);
/** A number, or a percentage such as "25%". */
export type Amount = string | number;

const healthCheck = section({
  checks: section({ nodeStartupTimeoutSeconds: count }),
  remediation: section({
    templateRef,
    maxInFlight: amount,
    triggerIf: section({ unhealthyLessThanOrEqualTo: amount }),
  }),
});

/** `raw` is the `healthCheck` of a topology or a class. */
export function readHealthCheck(raw: unknown): z.output<typeof healthCheck> {
  return healthCheck.parse(raw);
}

const taints = listOf(section({ key: textOrEmpty }));

export function readTaints(raw: unknown): z.output<typeof taints> {
  return taints.parse(raw);
}

const rollingUpdate = section({ maxUnavailable: amount, maxSurge: amount });
const rollout = section({ strategy: section({ rollingUpdate }) });

/** `raw` is the `rollout` of a topology or a class. */
export function readRollingUpdate(raw: unknown): z.output<typeof rollingUpdate> {
  return rollout.parse(raw).strategy.rollingUpdate;
}
