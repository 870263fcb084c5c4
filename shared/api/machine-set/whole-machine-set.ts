// Reads the fields of a MachineSet that its reconciler uses. Writes start from `object`, so that unknown fields are kept.
import { type JsonObject, toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import {
  conditions,
  count,
  countOrZero,
  labelSelector,
  readMeta,
  reference,
  replicaStatus,
  section,
  text,
  textMap,
  textOrEmpty,
} from '../fields.ts';

const schema = z.object({
  spec: section({
    clusterName: textOrEmpty,
    replicas: count,
    selector: z.catch(labelSelector, { matchLabels: {}, matchExpressions: [] }),
    machineNaming: section({ template: textOrEmpty }),
    deletion: section({ order: textOrEmpty }),
    template: section({
      metadata: section({ labels: textMap, annotations: textMap }),
      spec: section({
        version: textOrEmpty,
        failureDomain: textOrEmpty,
        minReadySeconds: countOrZero,
        bootstrap: section({ configRef: reference, dataSecretName: text }),
        infrastructureRef: reference,
      }),
    }),
  }),
  status: replicaStatus,
});

const deprecatedSchema = section({
  conditions,
  deprecated: section({
    v1beta1: section({
      conditions: z.transform(storedV1Beta1Conditions),
      readyReplicas: count,
      availableReplicas: count,
      fullyLabeledReplicas: count,
    }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readWholeMachineSet(object: Unstructured) {
  const metadata = readMeta(object.metadata);
  const { spec, status } = schema.parse({ spec: object.spec, status: object.status });
  return {
    object,
    metadata,
    spec,
    /** The spec of the Machine template with all its fields. */
    machineSpec: toRecord(toRecord(toRecord(object.spec)['template'])['spec']) satisfies JsonObject,
    status: { ...status, ...deprecatedSchema.parse(object.status) },
  };
}

export type WholeMachineSet = ReturnType<typeof readWholeMachineSet>;
