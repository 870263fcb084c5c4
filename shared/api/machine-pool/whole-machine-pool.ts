// Reads the fields of a MachinePool that its reconciler uses. Writes start from `object`, so that unknown fields are kept.
import type { GroupKind, Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import { toGroupKinds } from '../cluster/reader.ts';
import {
  count,
  countOrZero,
  listOf,
  readMeta,
  reference,
  replicaStatus,
  section,
  text,
  textMap,
  textOrEmpty,
} from '../fields.ts';

const references = section({
  template: section({ spec: section({ bootstrap: section({ configRef: reference }), infrastructureRef: reference }) }),
});

const nodeRef = z.object({ name: z.string(), uid: textOrEmpty });

const schema = z.object({
  spec: section({
    clusterName: textOrEmpty,
    replicas: count,
    providerIDList: listOf(z.string()),
    template: section({
      metadata: section({ labels: textMap, annotations: textMap }),
      spec: section({
        minReadySeconds: countOrZero,
        /** `dataSecretName` may be "". */
        bootstrap: section({ configRef: reference, dataSecretName: text }),
        infrastructureRef: reference,
        deletion: section({ nodeDeletionTimeoutSeconds: countOrZero }),
      }),
    }),
  }),
  status: replicaStatus,
});

/** Both milestones may become false again. */
const milestone = z.catch(z.optional(z.boolean()), undefined);

const statusSchema = section({
  phase: textOrEmpty,
  initialization: section({ infrastructureProvisioned: milestone, bootstrapDataSecretCreated: milestone }),
  nodeRefs: listOf(nodeRef),
  deprecated: section({
    v1beta1: section({
      conditions: z.transform(storedV1Beta1Conditions),
      readyReplicas: countOrZero,
      availableReplicas: countOrZero,
      unavailableReplicas: countOrZero,
    }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readWholeMachinePool(object: Unstructured) {
  const metadata = readMeta(object.metadata);
  const { spec, status } = schema.parse({ spec: object.spec, status: object.status });
  return { object, metadata, spec, status: { ...status, ...statusSchema.parse(object.status) } };
}

export type WholeMachinePool = ReturnType<typeof readWholeMachinePool>;

/** The fields that `kindsOfPool` reads. */
export const referenceParts = ['spec.template.spec.bootstrap.configRef', 'spec.template.spec.infrastructureRef'];

/** The kinds of the bootstrap config and of the infrastructure. Watches call this for each MachinePool and event. */
export function kindsOfPool({ spec }: Pick<Unstructured, 'spec'>): readonly GroupKind[] {
  const { bootstrap, infrastructureRef } = references.parse(spec).template.spec;
  return toGroupKinds([bootstrap.configRef, infrastructureRef]);
}
