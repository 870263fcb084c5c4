// Reads the fields of a Machine that reconcilers use.

import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { conditions, section, text, textOrEmpty } from '../fields.ts';

/** The label of control plane Machines. It may have any value. */
export const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';
/** The label of Machines of a MachinePool. It may have any value. */
export const poolNameLabel = 'cluster.x-k8s.io/pool-name';

const schema = z.object({
  spec: section({ version: text }),
  status: section({
    nodeRef: section({ name: textOrEmpty }),
    nodeInfo: section({ kubeletVersion: textOrEmpty }),
    conditions,
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readMachine({ apiVersion, metadata, spec, status }: Unstructured) {
  return { apiVersion, kind: 'Machine', metadata, ...schema.parse({ spec, status }) } as const;
}

export type Machine = ReturnType<typeof readMachine>;
