// Reads the fields of a MachineDeployment that reconcilers use.

import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { count, replicaStatus, section } from '../fields.ts';

/** The label of MachineSets and Machines with the name of their MachineDeployment. */
export const deploymentNameLabel = 'cluster.x-k8s.io/deployment-name';

const schema = z.object({ spec: section({ replicas: count }), status: replicaStatus });

/** Never throws. An unreadable field is treated as absent. */
export function readMachineDeployment({ apiVersion, metadata, spec, status }: Unstructured) {
  return { apiVersion, kind: 'MachineDeployment', metadata, ...schema.parse({ spec, status }) } as const;
}

export type MachineDeployment = ReturnType<typeof readMachineDeployment>;
