// Reads the fields of a MachinePool that reconcilers use.

import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { count, replicaStatus, section } from '../fields.ts';

const schema = z.object({ spec: section({ replicas: count }), status: replicaStatus });

/** Never throws. An unreadable field is treated as absent. */
export function readMachinePool({ apiVersion, metadata, spec, status }: Unstructured) {
  return { apiVersion, kind: 'MachinePool', metadata, ...schema.parse({ spec, status }) } as const;
}

export type MachinePool = ReturnType<typeof readMachinePool>;
