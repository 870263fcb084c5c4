// Reads the fields of a MachineDeployment that its reconciler uses. Writes start from `object`, so that unknown fields are
// kept.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import {
  conditions,
  count,
  countOrZero,
  flag,
  labelSelector,
  readMeta,
  reference,
  section,
  text,
  textMap,
  textOrEmpty,
} from '../fields.ts';

/** A number or a percentage. The planner reports other values. */
const amount = z.optional(z.unknown());

const schema = z.object({
  spec: section({
    clusterName: textOrEmpty,
    replicas: count,
    paused: flag,
    selector: z.catch(labelSelector, { matchLabels: {}, matchExpressions: [] }),
    template: section({
      metadata: section({ labels: textMap }),
      spec: section({
        version: textOrEmpty,
        failureDomain: textOrEmpty,
        bootstrap: section({ configRef: reference, dataSecretName: text }),
        infrastructureRef: reference,
      }),
    }),
    rollout: section({
      after: text,
      strategy: section({
        type: textOrEmpty,
        rollingUpdate: section({ maxSurge: amount, maxUnavailable: amount }),
      }),
    }),
    remediation: section({ maxInFlight: amount }),
  }),
  status: section({
    observedGeneration: countOrZero,
    replicas: count,
    readyReplicas: count,
    availableReplicas: count,
    upToDateReplicas: count,
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readWholeMachineDeployment(object: Unstructured) {
  return { object, metadata: readMeta(object.metadata), ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type WholeMachineDeployment = ReturnType<typeof readWholeMachineDeployment>;
