// The copy of a Node's `status.nodeInfo` in the status of its Machine.
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';

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

/**
 * Returns the fields that the schema of Machines knows. A missing field becomes "", because the API server would refuse
 * the status. Without `nodeInfo`, returns `undefined`.
 */
export function toNodeInfo(raw: unknown): JsonObject | undefined {
  if (!isJsonObject(raw)) {
    return undefined;
  }
  const texts = fields.map(field => [field, typeof raw[field] === 'string' ? raw[field] : ''] as const);
  const capacity = isJsonObject(raw['swap']) ? raw['swap']['capacity'] : undefined;
  return {
    ...Object.fromEntries(texts),
    ...(typeof capacity === 'number' && Number.isInteger(capacity) ? { swap: { capacity } } : {}),
  };
}
