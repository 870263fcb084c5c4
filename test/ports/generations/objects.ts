// The objects of both generations, under the same names: what a test makes, and how they look afterwards.
import type { Answer } from '../../../shared/api/answer.ts';
import { type Intent, type MergePatch, type ObjectRef, toRef, type Unstructured } from '../../../shared/api/object.ts';
import { readString, valueOr } from '../../../shared/contract/path.ts';
import type { Kubernetes } from '../../../shared/kubernetes/port.ts';

export const namespace = 'generations';
const legacy = 'cluster.k8s.io/v1alpha1';
const current = 'cluster.x-k8s.io/v1beta2';
const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';

/** Of Machines that nobody reconciles here: the tests take it away, as a Machine's controller does. */
const machineFinalizer = 'machine.cluster.k8s.io';

export const theirCluster = (name: string): ObjectRef => ({ apiVersion: legacy, kind: 'Cluster', namespace, name });
export const ourCluster = (name: string): ObjectRef => ({ apiVersion: current, kind: 'Cluster', namespace, name });
export const ourInfrastructure = (name: string): ObjectRef => ({
  apiVersion: `${infrastructureGroup}/v1beta2`,
  kind: 'SimulatedCluster',
  namespace,
  name,
});

/** The tests' own client; whatever is refused throws. */
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
    /** As the bytes that a server answers. */
    bytesOf: async (...refs: readonly ObjectRef[]): Promise<string> =>
      JSON.stringify(await Promise.all(refs.map(read))),
    /** One that their Cluster owns, or that only looks so: by the labels of both generations. */
    async createMachine(owner: Unstructured, of: Partial<Pick<Intent, 'apiVersion' | 'kind'>> & { uid?: string } = {}) {
      const { uid = owner.metadata.uid, apiVersion = legacy, kind = 'Machine' } = of;
      const { name } = owner.metadata;
      return create({
        apiVersion,
        kind,
        metadata: {
          namespace,
          name: `${name}-${uid === owner.metadata.uid ? 'child' : 'stranger'}`,
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
    /** As the Machine's controller and the garbage collector do once nothing hangs on it. */
    async letGo(machine: Unstructured): Promise<void> {
      const answer = await client().mergePatch(toRef(machine), { metadata: { finalizers: null } });
      if (!answer.ok && !answer.missing) {
        valueOfAnswer(answer);
      }
    },
  };
}

export type Objects = ReturnType<typeof createObjects>;

function withMetadata({ apiVersion, kind, name }: ObjectRef): Intent {
  return { apiVersion, kind, metadata: { namespace, name } };
}

function valueOfAnswer<T>(answer: Answer<T>): T {
  if (!answer.ok) {
    throw new Error(answer.failure.message);
  }
  return answer.value;
}
