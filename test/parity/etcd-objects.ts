// Puts objects into the etcd of a real API server, as a restored backup would. Requests to the API server cannot set
// uids, generations and times.
import { groupOf, toRecord } from '@capi-serverless/apimachinery';
import type { GivenObject } from '../../cli/plan/files.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';

/** Built-in kinds of the recordings, by their resource. */
const builtIn: Readonly<Record<string, string>> = { Secret: 'secrets', ConfigMap: 'configmaps' };

/** Throws if etcd refuses an object, or if its kind has no definition. */
export async function putObjects(
  etcdUrl: string,
  crds: readonly CustomResourceDefinition[],
  objects: readonly GivenObject[],
): Promise<void> {
  const resources = new Map(crds.map(({ spec }) => [spec.names.kind, `${spec.group}/${spec.names.plural}`]));
  for (const object of objects) {
    const { kind, apiVersion, metadata } = object;
    const resource = groupOf(apiVersion) === '' ? builtIn[kind] : resources.get(kind);
    if (resource === undefined) {
      throw new Error(`${kind} ${metadata.name} has no definition`);
    }
    const stored = { ...withEncodedData(object), metadata: { generation: 1, ...metadata } };
    await put(etcdUrl, `/registry/${resource}/${metadata.namespace}/${metadata.name}`, JSON.stringify(stored));
  }
}

/** States contain the data of Secrets as text. An API server could not decode them. */
export function withEncodedData(object: GivenObject): GivenObject {
  if (object.kind !== 'Secret' || object['data'] === undefined) {
    return object;
  }
  const entries = Object.entries(toRecord(object['data'])).map(([key, value]) => [key, toBase64(String(value))]);
  return { ...object, data: Object.fromEntries(entries) };
}

/** Uses the HTTP interface of etcd: https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/. */
async function put(etcdUrl: string, key: string, value: string): Promise<void> {
  const answer = await fetch(`${etcdUrl}/v3/kv/put`, {
    method: 'POST',
    body: JSON.stringify({ key: toBase64(key), value: toBase64(value) }),
  });
  if (!answer.ok) {
    throw new Error(`etcd refuses ${key}: ${await answer.text()}`);
  }
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
