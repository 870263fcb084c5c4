// Short requests of the simulated kubelets and controllers to the API server core of one workload cluster.
import { type JsonObject, sameJson, type Unstructured } from '@capi-serverless/apimachinery';
import { type Address, type ApiCore, type ApiWriter, StatusError } from '@capi-serverless/apiserver/core';

export interface ClusterObjects {
  list(apiVersion: string, kind: string): readonly Unstructured[];
  /** Only for cluster-scoped kinds. */
  find(apiVersion: string, kind: string, name: string): Unstructured | undefined;
  /** Creates the object with its status. An object of this name is kept. */
  ensure(body: JsonObject): Unstructured;
  /** Writes only if a member of the status differs. */
  setStatus(object: Unstructured, status: JsonObject): void;
  /** Removes the object immediately. */
  remove(object: Unstructured): void;
}

export function objectsOf(core: ApiCore, manager: string): ClusterObjects {
  const writer: ApiWriter = core.writing({ manager });
  const endpointOf = (apiVersion: string, kind: string) => core.registry.endpointOfKind(apiVersion, kind);
  const addressOf = ({ apiVersion, kind, metadata }: Unstructured): Address => ({
    endpoint: endpointOf(apiVersion, kind),
    namespace: metadata.namespace ?? '',
    name: metadata.name,
  });
  return {
    list: (apiVersion, kind) => core.list(endpointOf(apiVersion, kind), {}).items,
    find(apiVersion, kind, name) {
      try {
        return core.get({ endpoint: endpointOf(apiVersion, kind), namespace: '', name });
      } catch (error) {
        if (error instanceof StatusError && error.status.code === 404) {
          return undefined;
        }
        throw error;
      }
    },
    ensure(body) {
      // True: the callers pass whole objects.
      const object = body as unknown as Unstructured;
      const address = addressOf(object);
      try {
        return writer.create(address.endpoint, address.namespace, body);
      } catch (error) {
        if (error instanceof StatusError && error.status.reason === 'AlreadyExists') {
          return core.get(address);
        }
        throw error;
      }
    },
    setStatus(object, status) {
      const live: JsonObject = { ...(object.status as JsonObject | undefined) }; // True: a status is an object.
      if (Object.entries(status).some(([member, value]) => !sameJson(live[member], value))) {
        writer.update(addressOf(object), { ...object, status: { ...live, ...status } }, 'status');
      }
    },
    remove(object) {
      writer.delete(addressOf(object), { uid: object.metadata.uid, gracePeriodSeconds: 0 });
    },
  };
}
