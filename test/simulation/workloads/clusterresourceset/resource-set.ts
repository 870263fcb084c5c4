// ClusterResourceSets that apply objects to the API servers of Clusters.
import { type Intent, type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { canary } from '../../oracles/secrecy.ts';
import type { SimulatedUser } from '../../system/user.ts';
import {
  aSimulatedCluster,
  clusterRef,
  conditionOf,
  home,
  isGone,
  namespaceNamed,
  toIntent,
  untilReady,
  type Workload,
} from '../workload.ts';

const addonsVersion = 'addons.cluster.x-k8s.io/v1beta2';
const selected = { cni: 'simulated' };

const setRef: ObjectRef = { apiVersion: addonsVersion, kind: 'ClusterResourceSet', namespace: home, name: 'cni' };
const listRef: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: home, name: 'list' };
const appliedRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name });

const bindingRef = (name: string): ObjectRef => ({
  apiVersion: addonsVersion,
  kind: 'ClusterResourceSetBinding',
  namespace: home,
  name,
});

/** A document with a ConfigMap for workload clusters. */
const aDocument = (name: string, value: string): string =>
  JSON.stringify({ ...toIntent(appliedRef(name)), data: { value } });

const theSet: Intent = {
  ...toIntent(setRef),
  spec: {
    clusterSelector: { matchLabels: selected },
    strategy: 'Reconcile',
    resources: [
      { kind: 'ConfigMap', name: 'list' },
      { kind: 'Secret', name: 'secret-list' },
    ],
  },
};

/** Its object has the text that must not occur elsewhere in the management cluster. */
const theSecret: Intent = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'secret-list', namespace: home },
  type: 'addons.cluster.x-k8s.io/resource-set',
  data: { one: Buffer.from(aDocument('from-secret', canary)).toString('base64') },
};

const aList = (value: string): Intent => ({ ...toIntent(listRef), data: { one: aDocument('from-list', value) } });

const select = (user: SimulatedUser, name: string): Promise<void> =>
  user.patch(clusterRef(name), { metadata: { labels: selected } });

const isApplied = (set: Unstructured | undefined): boolean => conditionOf(set, 'ResourcesApplied') === 'True';

function untilApplied(
  user: SimulatedUser,
  cluster: string,
  { name, value }: Readonly<Record<'name' | 'value', string>>,
) {
  return user
    .inWorkload(clusterRef(cluster))
    .until(`${name} with ${value}`, appliedRef(name), object => valueAt(object, 'data.value') === value);
}

async function startTwo(user: SimulatedUser): Promise<void> {
  await user.create(namespaceNamed(home), ...aSimulatedCluster('c1'), ...aSimulatedCluster('c2'));
  await untilReady(user, 'c1');
  await untilReady(user, 'c2');
}

export const resourceSet: Workload = {
  name: 'resource-set',
  about: 'A ClusterResourceSet applies objects to Clusters as they match, follows a change, and is deleted',
  // A pass that read the set before its deletion may create a binding again. The garbage collector deletes it.
  countsVary: true,
  long: true,
  async script(user) {
    await startTwo(user);
    await select(user, 'c1');
    await user.create(theSet, aList('first'), theSecret);
    await untilApplied(user, 'c1', { name: 'from-list', value: 'first' });
    await untilApplied(user, 'c1', { name: 'from-secret', value: canary });
    await select(user, 'c2');
    await untilApplied(user, 'c2', { name: 'from-list', value: 'first' });
    await user.patch(listRef, { data: { one: aDocument('from-list', 'second') } });
    await untilApplied(user, 'c1', { name: 'from-list', value: 'second' });
    await untilApplied(user, 'c2', { name: 'from-list', value: 'second' });
    await user.until('the set to report it', setRef, isApplied);
    await user.delete(setRef);
    await user.until('the set to be gone', setRef, isGone);
    await user.until('the binding of c1 to be gone', bindingRef('c1'), isGone);
    await user.until('the binding of c2 to be gone', bindingRef('c2'), isGone);
  },
};

export const resourceSetOfDeletedCluster: Workload = {
  name: 'resource-set-cluster-deleted',
  about: 'A Cluster with applied resources is deleted, and its binding with it',
  countsVary: true,
  long: true,
  async script(user) {
    await startTwo(user);
    await user.create(aList('first'), theSecret, theSet);
    await select(user, 'c1');
    await untilApplied(user, 'c1', { name: 'from-list', value: 'first' });
    await user.delete(clusterRef('c1'));
    await user.until('the Cluster to be gone', clusterRef('c1'), isGone);
    await user.until('its binding to be gone', bindingRef('c1'), isGone);
    // A pass that could not connect before the deletion leaves its condition.
    await user.delete(setRef);
    await user.until('the set to be gone', setRef, isGone);
  },
};
