// MachinePools on simulated infrastructure, in a Cluster with an API server.
import { type Intent, type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { SimulatedUser } from '../../system/user.ts';
import { aSimulatedCluster, clusterRef, home, isGone, namespaceNamed, untilReady, type Workload } from '../workload.ts';

const name = 'p1';
const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';
const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';
const orderPrefix = 'simulated.capi-serverless.dev/';

const poolRef: ObjectRef = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachinePool', namespace: home, name };
const infrastructure: ObjectRef = {
  ...poolRef,
  apiVersion: `${infrastructureGroup}/v1beta2`,
  kind: 'SimulatedMachinePool',
};
const config: ObjectRef = { ...poolRef, apiVersion: `${bootstrapGroup}/v1beta2`, kind: 'SimulatedBootstrapConfig' };
const nodeRef = (of: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Node', name: of });

/** The bootstrap config, the infrastructure with these orders, and the MachinePool. */
function aPool(replicas: number, orders: readonly string[] = []): readonly Intent[] {
  const metadata = { name, namespace: home };
  const annotations = Object.fromEntries(orders.map(order => [`${orderPrefix}${order}`, '']));
  return [
    { apiVersion: config.apiVersion, kind: config.kind, metadata, spec: {} },
    {
      apiVersion: infrastructure.apiVersion,
      kind: infrastructure.kind,
      metadata: { ...metadata, annotations },
      spec: {},
    },
    {
      apiVersion: poolRef.apiVersion,
      kind: poolRef.kind,
      metadata: { ...metadata, labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      spec: {
        clusterName: 'c1',
        replicas,
        template: {
          spec: {
            clusterName: 'c1',
            version: 'v1.35.0',
            bootstrap: { configRef: { apiGroup: bootstrapGroup, kind: config.kind, name } },
            infrastructureRef: { apiGroup: infrastructureGroup, kind: infrastructure.kind, name },
            // Without a limit, the deletion waits for the workload cluster.
            deletion: { nodeDeletionTimeoutSeconds: 0 },
          },
        },
      },
    },
  ];
}

const order = (of: string, value: string | null) => ({ metadata: { annotations: { [`${orderPrefix}${of}`]: value } } });

function nodesOf(pool: Unstructured | undefined): readonly string[] {
  const refs = valueAt(pool?.status, 'nodeRefs');
  return Array.isArray(refs) ? refs.map(ref => String(valueAt(ref, 'name'))) : [];
}

function versionsOf(pool: Unstructured | undefined): unknown {
  const versions = valueAt(pool?.status, 'versions');
  return Array.isArray(versions) ? versions.map(each => valueAt(each, 'version')) : [];
}

/** Waits until the pool has this number of ready Nodes, all with this version. */
async function untilRunning(user: SimulatedUser, replicas: number, version = 'v1.35.0'): Promise<void> {
  await user.until(
    `the pool to run with ${replicas} Nodes`,
    poolRef,
    pool =>
      valueAt(pool?.status, 'phase') === 'Running' &&
      valueAt(pool?.status, 'replicas') === replicas &&
      nodesOf(pool).length === replicas &&
      JSON.stringify(versionsOf(pool)) === JSON.stringify(replicas === 0 ? [] : [version]),
  );
  const workload = user.inWorkload(clusterRef());
  for (const node of nodesOf(user.read(poolRef))) {
    await workload.until(
      'its Node to name the pool',
      nodeRef(node),
      object => object?.metadata.annotations?.['cluster.x-k8s.io/owner-name'] === name,
    );
  }
}

async function startCluster(user: SimulatedUser): Promise<void> {
  await user.create(namespaceNamed(home), ...aSimulatedCluster());
  await untilReady(user);
}

/** The provider does not start before the pool owns its object. Then its finalizer keeps the object. */
function untilOwned(user: SimulatedUser): Promise<void> {
  return user.until(
    'the provider to know its infrastructure',
    infrastructure,
    object => (object?.metadata.finalizers ?? []).length > 0,
  );
}

async function untilDeleted(user: SimulatedUser): Promise<void> {
  await user.until('the pool to be gone', poolRef, isGone);
  await user.until('its infrastructure to be gone', infrastructure, isGone);
  await user.until('its bootstrap config to be gone', config, isGone);
}

export const poolLife: Workload = {
  name: 'machinepool-life',
  about: 'A MachinePool whose infrastructure reports late is created, scaled up, upgraded, scaled down and deleted',
  long: true,
  async script(user) {
    await startCluster(user);
    await user.create(...aPool(1, ['hang']));
    await untilOwned(user);
    await user.pause(30);
    await user.patch(infrastructure, order('hang', null));
    await untilRunning(user, 1);
    await user.patch(poolRef, { spec: { replicas: 3 } });
    await untilRunning(user, 3);
    await user.patch(poolRef, { spec: { template: { spec: { version: 'v1.36.0' } } } });
    await untilRunning(user, 3, 'v1.36.0');
    await user.patch(poolRef, { spec: { replicas: 1 } });
    await untilRunning(user, 1, 'v1.36.0');
    await user.delete(poolRef);
    await untilDeleted(user);
  },
};

export const poolNodeLost: Workload = {
  name: 'machinepool-node-lost',
  about: 'The Node of an instance of a MachinePool is deleted by a user, and then the instance',
  long: true,
  async script(user) {
    await startCluster(user);
    await user.create(...aPool(2));
    await untilRunning(user, 2);
    const last = nodesOf(user.read(poolRef)).at(-1) ?? '';
    await user.inWorkload(clusterRef()).delete(nodeRef(last));
    // Nodes are not watched.
    await user.patch(poolRef, { metadata: { labels: { seen: 'true' } } });
    await user.until('the pool to miss it', poolRef, pool => nodesOf(pool).length === 1);
    await user.patch(poolRef, { spec: { replicas: 1 } });
    await untilRunning(user, 1);
  },
};

export const poolDeletedEarly: Workload = {
  name: 'machinepool-deleted-early',
  about: 'A MachinePool is deleted before it has a Node, and waits for its infrastructure',
  // If the events of its objects are lost, the pool is deleted before its bootstrap data exist.
  countsVary: true,
  async script(user) {
    await startCluster(user);
    await user.create(...aPool(1, ['hang', 'delete-hang']));
    await untilOwned(user);
    await user.delete(poolRef);
    await user.until(
      'its infrastructure to be deleted',
      infrastructure,
      object => object?.metadata.deletionTimestamp !== undefined,
    );
    await user.pause(60);
    await user.until('the pool to wait', poolRef, pool => pool?.metadata.deletionTimestamp !== undefined);
    await user.patch(infrastructure, order('delete-hang', null));
    await untilDeleted(user);
  },
};
