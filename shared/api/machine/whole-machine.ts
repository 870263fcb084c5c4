// Reads the fields of a Machine that its reconciler uses. Writes start from `object`, so that unknown fields are kept.
import type { GroupKind, Name, Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import { toGroupKinds } from '../cluster/reader.ts';
import {
  availabilityGates,
  conditions,
  count,
  countOrZero,
  flag,
  listOf,
  readMeta,
  reference,
  section,
  text,
  textOrEmpty,
} from '../fields.ts';
import { controlPlaneLabel } from './reader.ts';

const referencesOnly = section({ bootstrap: section({ configRef: reference }), infrastructureRef: reference });

const nodeOnly = z.object({
  spec: section({ clusterName: textOrEmpty, providerID: textOrEmpty }),
  status: section({ nodeRef: section({ name: textOrEmpty }) }),
});

const taint = z.object({ key: z.string(), value: textOrEmpty, effect: z.string(), propagation: textOrEmpty });

const address = z.object({ type: z.string(), address: z.string() });

const schema = z.object({
  spec: section({
    clusterName: textOrEmpty,
    /** `dataSecretName` may be "". */
    bootstrap: section({ configRef: reference, dataSecretName: text }),
    infrastructureRef: reference,
    version: textOrEmpty,
    providerID: textOrEmpty,
    failureDomain: textOrEmpty,
    minReadySeconds: countOrZero,
    readinessGates: availabilityGates,
    /** Without the admission webhook, an absent `nodeDeletionTimeoutSeconds` means no time limit. */
    deletion: section({
      nodeDrainTimeoutSeconds: countOrZero,
      nodeVolumeDetachTimeoutSeconds: countOrZero,
      nodeDeletionTimeoutSeconds: count,
    }),
    taints: listOf(taint),
  }),
  status: section({
    phase: textOrEmpty,
    lastUpdated: text,
    initialization: section({ infrastructureProvisioned: flag, bootstrapDataSecretCreated: flag }),
    nodeRef: section({ name: textOrEmpty }),
    nodeInfo: section({ kubeletVersion: textOrEmpty }),
    addresses: listOf(address),
    certificatesExpiryDate: text,
    deletion: section({
      nodeDrainStartTime: text,
      waitForNodeVolumeDetachStartTime: text,
      waitForPreDrainHookStartTime: text,
      waitForPreTerminateHookStartTime: text,
    }),
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readWholeMachine(object: Unstructured) {
  return { object, metadata: readMeta(object.metadata), ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type WholeMachine = ReturnType<typeof readWholeMachine>;

export function isControlPlane({ metadata }: WholeMachine): boolean {
  return controlPlaneLabel in metadata.labels;
}

/** The fields that `kindsOfMachine` and `nodeOfMachine` read. */
export const watchedParts = [
  'spec.bootstrap.configRef',
  'spec.infrastructureRef',
  'spec.clusterName',
  'spec.providerID',
  'status.nodeRef.name',
];

/** The kinds of the bootstrap config and of the infrastructure machine. Watches call this for each Machine and event. */
export function kindsOfMachine({ spec }: Pick<Unstructured, 'spec'>): readonly GroupKind[] {
  const { bootstrap, infrastructureRef } = referencesOnly.parse(spec);
  return toGroupKinds([bootstrap.configRef, infrastructureRef]);
}

/** The Node of the Machine. A Machine without providerID expects none. Watches call this for each Machine and event. */
export function nodeOfMachine({ metadata, spec, status }: Unstructured): NodeOfMachine | undefined {
  const machine = nodeOnly.parse({ spec, status });
  const { clusterName, providerID } = machine.spec;
  const { name: node } = machine.status.nodeRef;
  return node === '' && providerID === ''
    ? undefined
    : { cluster: { namespace: metadata.namespace ?? '', name: clusterName }, node };
}

interface NodeOfMachine {
  readonly cluster: Name;
  /** "" while the Node is not known. */
  readonly node: string;
}
