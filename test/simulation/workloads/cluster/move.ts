// The steps of `clusterctl move`: pause, copy all objects with new uids, delete the originals, resume.
// https://cluster-api.sigs.k8s.io/clusterctl/commands/move

import { type Intent, isJsonObject, type ObjectRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { SimulatedUser } from '../../system/user.ts';
import {
  aSecret,
  aSimulatedCluster,
  clusterRef,
  controlPlaneRef,
  home,
  infraRef,
  isGone,
  namespaceNamed,
  untilReady,
  type Workload,
} from '../workload.ts';

const away = 'elsewhere';

export const move: Workload = {
  name: 'move',
  about: 'A running Cluster is moved to another namespace and back: paused, copied with new uids, resumed, scaled',
  async script(user) {
    await user.create(namespaceNamed(home), namespaceNamed(away), ...aSimulatedCluster());
    await user.create(aSecret('c1-kubeconfig', 'value', away));
    await untilReady(user);
    await moveCluster(user, { from: home, to: away });
    await user.patch(controlPlaneRef('c1', away), { spec: { replicas: 3 } });
    await untilReady(user, 'c1', away);
    await moveCluster(user, { from: away, to: home });
    await untilReady(user);
  },
};

async function moveCluster(
  user: SimulatedUser,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await user.patch(clusterRef('c1', from), { spec: { paused: true } });
  await user.pause(1);
  const cluster = await copy(user, { from: clusterRef('c1', from), to });
  const children = [infraRef('c1', from), controlPlaneRef('c1', from)];
  for (const ref of children) {
    await copy(user, { from: ref, to, owner: cluster });
  }
  for (const ref of [...children, clusterRef('c1', from)]) {
    await removeAtOnce(user, ref);
  }
  await user.patch(clusterRef('c1', to), { spec: { paused: null } });
}

/** Spec, labels, annotations and finalizers are copied, but not the status. The owner is the copied Cluster. */
async function copy(
  user: SimulatedUser,
  { from, to, owner }: { readonly from: ObjectRef; readonly to: string; readonly owner?: Unstructured },
): Promise<Unstructured> {
  const { metadata, apiVersion, kind, spec } = known(user.read(from), from);
  const { labels = {}, annotations = {}, finalizers = [], name } = metadata;
  const ownerReferences = (metadata.ownerReferences ?? []).map(reference => ({
    ...reference,
    uid: owner?.metadata.uid ?? reference.uid,
  }));
  const copied: Intent = {
    apiVersion,
    kind,
    metadata: { name, namespace: to, labels, annotations, finalizers, ownerReferences },
    spec: isJsonObject(spec) ? spec : {},
  };
  await user.create(copied);
  const target = { ...from, namespace: to };
  return known(user.read(target), target);
}

/**
 * The original is deleted first, because reconcilers add their finalizer to every object without a deletionTimestamp,
 * paused or not.
 */
async function removeAtOnce(user: SimulatedUser, ref: ObjectRef): Promise<void> {
  await user.delete(ref);
  if (user.read(ref) !== undefined) {
    await user.patch(ref, { metadata: { finalizers: null } });
  }
  await user.until(`${ref.kind} to be gone`, ref, isGone);
}

function known(object: Unstructured | undefined, ref: ObjectRef): Unstructured {
  if (object === undefined) {
    throw new Error(`There is no ${ref.kind} ${ref.name} to move`);
  }
  return object;
}
