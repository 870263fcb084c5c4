// An in-memory API with a Cluster kind in a separate group, its Machines, and an actuator whose code each test scripts.

import { type Intent, type ObjectMeta, pluralOf, type Unstructured } from '@capi-serverless/apimachinery';
import {
  type ActuatorContext,
  type ActuatorDeleteContext,
  type ClusterActuatorOptions,
  defineClusterActuator,
  type RequeueAfter,
  type Terminal,
} from '@capi-serverless/provider-sdk';
import { type PassEnd, runPass } from '@capi-serverless/reconciler/runner';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../shared/kernel/reconciled.ts';
import { aRecordingLog } from './kernel.ts';
import { createMemoryApi } from './memory-api.ts';

export const actuatorGroup = 'cluster.k8s.io';
export const actuatorFinalizer = 'cluster.cluster.k8s.io';
const childLabels = { [`${actuatorGroup}/cluster-name`]: 'old' };

const version = 'v1alpha1';
const apiVersion = `${actuatorGroup}/${version}`;

type Answer = undefined | RequeueAfter | Terminal;

/** An actuator that records its calls and answers according to `author`. */
function scriptedActuator(more: Partial<ClusterActuatorOptions>) {
  const author = {
    reconciled: [] as ActuatorContext[],
    deleted: [] as ActuatorDeleteContext[],
    reconcile: async (_context: ActuatorContext): Promise<Answer> => undefined,
    delete: async (_context: ActuatorDeleteContext): Promise<Answer> => undefined,
  };
  const actuator = defineClusterActuator({
    group: actuatorGroup,
    version,
    name: 'old-cluster',
    status: ['network'],
    ...more,
    reconcile: async context => {
      author.reconciled.push(context);
      return author.reconcile(context);
    },
    delete: async context => {
      author.deleted.push(context);
      return author.delete(context);
    },
  });
  return { author, actuator };
}

export function createActuatorWorld(more: Partial<ClusterActuatorOptions> = {}) {
  const api = createMemoryApi({ crds: ['Cluster', 'Machine', 'MachineSet', 'MachineDeployment'].map(legacyCrd) });
  const { author, actuator } = scriptedActuator(more);
  const ref = { apiVersion, kind: 'Cluster', namespace: 'default', name: 'old' };
  const signal = new AbortController().signal;
  const context = {
    reconciler: actuator,
    kubernetes: api.kubernetes,
    ports: {},
    clock: api.clock,
    signal,
    log: aRecordingLog(),
    watchFilter: '',
  };
  return {
    api,
    author,
    actuator,
    ref,
    given: (metadata: Partial<ObjectMeta> = {}, more: Partial<Unstructured> = {}) =>
      api.given({
        apiVersion,
        kind: 'Cluster',
        spec: {},
        ...more,
        metadata: { uid: 'old', resourceVersion: '', name: 'old', namespace: 'default', ...metadata },
      }),
    /** Creates a child by its label. `owner` is the uid in its owner reference. Default: the uid of the Cluster. */
    givenChild: (change: Partial<ObjectMeta> & { readonly kind?: string; readonly owner?: string } = {}) => {
      const { kind = 'Machine', owner = 'old', ...metadata } = change;
      const ownerReferences = [{ apiVersion, kind: 'Cluster', name: 'old', uid: owner }];
      const named = { uid: '', resourceVersion: '', name: 'm1', namespace: 'default', labels: childLabels };
      api.given({ apiVersion, kind, metadata: { ...named, ownerReferences, ...metadata } });
    },
    childRef: { apiVersion, kind: 'Machine', namespace: 'default', name: 'm1' },
    child: (kind = 'Machine', name = 'm1') => api.find({ apiVersion, kind, namespace: 'default', name }),
    pass: (): Promise<PassEnd> => runPass(context, api.read(ref), 1),
    /** Runs passes until the object settles, like the handler of a message. */
    reconcile: (): Promise<Reconciled> => reconcile(context, ref),
    object: () => api.read(ref),
    find: () => api.find(ref),
  };
}

/**
 * The name of the group is reserved, so the API server requires an annotation that marks the definition as unapproved.
 */
export function legacyCrd(kind: string): Intent {
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${pluralOf(kind)}.${actuatorGroup}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a kind of the past for tests' },
    },
    spec: {
      group: actuatorGroup,
      scope: 'Namespaced',
      names: { kind, plural: pluralOf(kind) },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: free, status: free } } },
          subresources: { status: {} },
        },
      ],
    },
  };
}
