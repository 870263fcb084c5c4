// The objects of both provider generations, with the same names: their initial state and their expected state.
import {
  type Answer,
  type Intent,
  type Kubernetes,
  type MergePatch,
  type ObjectRef,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { readString, valueOr } from '@capi-serverless/cluster-api/contract';

export const namespace = 'generations';
const legacy = 'cluster.k8s.io/v1alpha1';
const current = 'cluster.x-k8s.io/v1beta2';
const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';

/**
 * A finalizer of Machines, which no controller reconciles in this suite. The tests remove it, like a Machine
 * controller.
 */
const machineFinalizer = 'machine.cluster.k8s.io';

export const theirCluster = (name: string): ObjectRef => ({ apiVersion: legacy, kind: 'Cluster', namespace, name });
export const ourCluster = (name: string): ObjectRef => ({ apiVersion: current, kind: 'Cluster', namespace, name });
export const ourInfrastructure = (name: string): ObjectRef => ({
  apiVersion: `${infrastructureGroup}/v1beta2`,
  kind: 'SimulatedCluster',
  namespace,
  name,
});

/** The client of the tests. It throws on every failure. */
export function createObjects(client: () => Kubernetes) {
  const find = async (ref: ObjectRef): Promise<Unstructured | undefined> => {
    const answer = await client().get(ref);
    return !answer.ok && answer.missing ? undefined : valueOfAnswer(answer);
  };
  const read = async (ref: ObjectRef): Promise<Unstructured> => valueOfAnswer(await client().get(ref));
  const create = async (intent: Intent): Promise<Unstructured> => valueOfAnswer(await client().create(intent));
  const patch = async (ref: ObjectRef, body: MergePatch): Promise<Unstructured> =>
    valueOfAnswer(await client().mergePatch(ref, body));
  return {
    find,
    read,
    create,
    patch,
    remove: async (ref: ObjectRef) => valueOfAnswer(await client().delete(ref)),
    createTheirs: (name: string) => create({ ...withMetadata(theirCluster(name)), spec: { zones: ['a'] } }),
    async createOurs(name: string): Promise<void> {
      const infrastructureRef = { apiGroup: infrastructureGroup, kind: 'SimulatedCluster', name };
      await create({ ...withMetadata(ourInfrastructure(name)), spec: {} });
      await create({ ...withMetadata(ourCluster(name)), spec: { infrastructureRef } });
    },
    isProvisioned: async (name: string) =>
      valueOr(readString(await read(ourCluster(name)), 'status.phase'), '') === 'Provisioned',
    /** Returns the bytes of the object in a server's response. */
    bytesOf: async (...refs: readonly ObjectRef[]): Promise<string> =>
      JSON.stringify(await Promise.all(refs.map(read))),
    /** A child that the Cluster owns, or a child that only has the labels of both generations. */
    async createMachine(owner: Unstructured, of: Partial<Pick<Intent, 'apiVersion' | 'kind'>> & { uid?: string } = {}) {
      const { uid = owner.metadata.uid, apiVersion = legacy, kind = 'Machine' } = of;
      const { name } = owner.metadata;
      return create({
        apiVersion,
        kind,
        metadata: {
          namespace,
          name: `${name}-${uid === owner.metadata.uid ? 'child' : 'unowned'}`,
          labels: { 'cluster.k8s.io/cluster-name': name, 'cluster.x-k8s.io/cluster-name': name },
          ownerReferences: [{ apiVersion: legacy, kind: 'Cluster', name, uid }],
          finalizers: [machineFinalizer],
        },
        spec:
          apiVersion === legacy
            ? {}
            : {
                clusterName: name,
                bootstrap: { dataSecretName: 'none' },
                infrastructureRef: { apiGroup: infrastructureGroup, kind: 'SimulatedMachine', name },
              },
      });
    },
    /** Acts like the Machine's controller and the garbage collector after the Machine has no dependents. */
    async letGo(machine: Unstructured): Promise<void> {
      const answer = await client().mergePatch(toRef(machine), { metadata: { finalizers: null } });
      if (!answer.ok && !answer.missing) {
        valueOfAnswer(answer);
      }
    },
  };
}

export type GenerationObjects = ReturnType<typeof createObjects>;

function withMetadata({ apiVersion, kind, name }: ObjectRef): Intent {
  return { apiVersion, kind, metadata: { namespace, name } };
}

function valueOfAnswer<T>(answer: Answer<T>): T {
  if (!answer.ok) {
    throw new Error(answer.failure.message);
  }
  return answer.value;
}
