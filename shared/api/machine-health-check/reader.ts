// Reads the fields of a MachineHealthCheck that its reconciler uses. Writes start from `object`, so that unknown fields
// are kept.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import { conditions, count, countOrZero, labelSelector, listOf, readMeta, section, textOrEmpty } from '../fields.ts';

/** A condition that marks a Machine as unhealthy when it lasts. */
const check = z.object({ type: z.string(), status: z.string(), timeoutSeconds: countOrZero });

export type ConditionCheck = z.output<typeof check>;

const schema = z.object({
  spec: section({
    clusterName: textOrEmpty,
    selector: z.catch(labelSelector, { matchLabels: {}, matchExpressions: [] }),
    checks: section({
      nodeStartupTimeoutSeconds: count,
      unhealthyNodeConditions: listOf(check),
      unhealthyMachineConditions: listOf(check),
    }),
    remediation: section({
      triggerIf: section({
        unhealthyLessThanOrEqualTo: z.catch(z.optional(z.union([z.int(), z.string()])), undefined),
        unhealthyInRange: textOrEmpty,
      }),
      templateRef: section({ apiVersion: textOrEmpty, kind: textOrEmpty, name: textOrEmpty }),
    }),
  }),
  status: section({
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readHealthCheck(object: Unstructured) {
  return { object, metadata: readMeta(object.metadata), ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type MachineHealthCheck = ReturnType<typeof readHealthCheck>;

export type RemediationTrigger = MachineHealthCheck['spec']['remediation']['triggerIf'];

export type RemediationTemplateRef = MachineHealthCheck['spec']['remediation']['templateRef'];
