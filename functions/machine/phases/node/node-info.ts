// The copy of a Node's `status.nodeInfo` in the status of its Machine.
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import { toFittingMessage } from '@capi-serverless/cluster-api/conditions';

/** The schema of Machines requires these fields. */
const fields = [
  'architecture',
  'bootID',
  'containerRuntimeVersion',
  'kernelVersion',
  'kubeProxyVersion',
  'kubeletVersion',
  'machineID',
  'operatingSystem',
  'osImage',
  'systemUUID',
] as const;

/** The maximum length of a field. That of the kubelet version becomes a version in the status of MachineSets. */
const longestField = 256;

/**
 * Returns the fields that the schema of Machines knows. A missing field becomes "", because the API server would refuse
 * the status. A longer text is cut. Without `nodeInfo`, returns `undefined`.
 */
export function toNodeInfo(raw: unknown): JsonObject | undefined {
  if (!isJsonObject(raw)) {
    return undefined;
  }
  const texts = fields.map(field => [field, toText(raw[field])] as const);
  const capacity = isJsonObject(raw['swap']) ? raw['swap']['capacity'] : undefined;
  return {
    ...Object.fromEntries(texts),
    ...(typeof capacity === 'number' && Number.isInteger(capacity) ? { swap: { capacity } } : {}),
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? toFittingMessage(value, longestField) : '';
}
