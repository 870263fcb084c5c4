// The desired Kubernetes version of a MachineDeployment or MachinePool.

import { toRecord, type Unstructured } from '@capi-serverless/apimachinery';

/** Returns `spec.template.spec.version`, or "" if there is none. */
export function workerVersion({ spec }: Unstructured): string {
  const template = toRecord(toRecord(spec)['template']);
  const { version } = toRecord(template['spec']);
  return typeof version === 'string' ? version : '';
}
