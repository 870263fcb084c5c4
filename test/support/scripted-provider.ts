// The memory API with one provider kind and its Cluster. Tests script the author's code and run one pass at a time.

import type { Intent, ObjectMeta, Unstructured } from '@capi-serverless/apimachinery';
import {
  type AuthorContext,
  type ControlPlaneResult,
  type DeleteContext,
  type DeleteResult,
  defineControlPlaneProvider,
  defineInfrastructureProvider,
  type FieldsSchema,
  type InfrastructureResult,
  type ProviderReconciler,
  type Schema,
  type Untyped,
} from '@capi-serverless/provider-sdk';
import { type PassEnd, runPass } from '@capi-serverless/reconciler/runner';
import { aRecordingLog } from './kernel.ts';
import { createMemoryApi } from './memory-api.ts';

type ExampleContract = 'v1alpha3' | 'v1beta1' | 'v1beta2';

interface ProviderWorldOptions {
  readonly role?: 'infrastructure' | 'controlPlane';
  readonly contract?: ExampleContract;
  readonly endpoint?: 'provided' | 'fromCluster';
  /** The author's schemas: for the spec, and for `network` in the status. */
  readonly schemas?: { readonly spec: Schema<Untyped>; readonly status: FieldsSchema<Untyped> };
}

const group = 'infrastructure.example.com';
export const exampleFinalizer = 'examplecluster.infrastructure.example.com';

const home = { namespace: 'default', name: 'example' };
const clusterName = { namespace: 'default', name: 'workload' };

/** The conditions of an object that already passed the gate. */
export const notPaused = {
  type: 'Paused',
  status: 'False',
  reason: 'NotPaused',
  message: '',
  lastTransitionTime: '2025-12-31T00:00:00Z',
};

export function createProviderWorld(options: ProviderWorldOptions = {}) {
  const { contract = 'v1beta2' } = options;
  const api = createMemoryApi({ crds: [exampleCrd(contract)] });
  const author = {
    normal: [] as AuthorContext[],
    deletions: [] as DeleteContext[],
    reconcileNormal: async (_context: AuthorContext): Promise<unknown> => ({ ready: false }),
    reconcileDelete: async (_context: DeleteContext): Promise<unknown> => ({ done: true }),
  };
  const reconciler = defineExample(options, author);
  const ref = { apiVersion: `${group}/${contract}`, kind: 'ExampleCluster', ...home };
  const log = aRecordingLog();
  return {
    api,
    author,
    log,
    reconciler,
    ref,
    /** The Cluster and an object that it owns and that already passed the gate. */
    given(change: { readonly cluster?: Partial<Unstructured>; readonly object?: Partial<Unstructured> } = {}) {
      api.given(aCluster(change.cluster));
      api.given(anObject(contract, change.object));
    },
    /** Stores only the object. */
    givenObject(change: Partial<Unstructured>) {
      api.given(anObject(contract, change));
    },
    async pass(abort?: AbortSignal): Promise<PassEnd> {
      const signal = abort ?? new AbortController().signal;
      const context = { reconciler, kubernetes: api.kubernetes, ports: {}, clock: api.clock, signal, log };
      return runPass(context, api.read(ref), 1);
    },
    object: () => api.read(ref),
    find: () => api.find(ref),
    condition(type: string) {
      const { status } = api.read(ref);
      const { conditions = [] } = (status ?? {}) as { conditions?: readonly Readonly<Record<string, unknown>>[] }; // true: the code under test wrote it
      return conditions.find(condition => condition['type'] === type);
    },
  };
}

type Author = Pick<ReturnType<typeof createProviderWorld>['author'], 'normal' | 'deletions'> & {
  reconcileNormal(context: AuthorContext): Promise<unknown>;
  reconcileDelete(context: DeleteContext): Promise<unknown>;
};

function defineExample(options: ProviderWorldOptions, author: Author): ProviderReconciler {
  const { contract = 'v1beta2', endpoint = 'provided', role = 'infrastructure' } = options;
  const common = {
    group,
    version: contract,
    kind: 'ExampleCluster',
    contract,
    endpoint,
    conditions: ['NetworkReady'],
    status: options.schemas?.status ?? ['network'],
    ...(options.schemas === undefined ? {} : { spec: options.schemas.spec }),
    reconcileDelete: async (context: DeleteContext) => {
      author.deletions.push(context);
      return (await author.reconcileDelete(context)) as DeleteResult; // true for the test: authors may return wrong results
    },
  };
  const normal = async (context: AuthorContext): Promise<unknown> => {
    author.normal.push(context);
    return author.reconcileNormal(context);
  };
  return role === 'infrastructure'
    ? defineInfrastructureProvider({
        ...common,
        reconcileNormal: async context => (await normal(context)) as InfrastructureResult, // true for the test: authors may return wrong results
      })
    : defineControlPlaneProvider({
        ...common,
        reconcileNormal: async context => (await normal(context)) as ControlPlaneResult, // true for the test: authors may return wrong results
      });
}

export function aCluster(change: Partial<Unstructured> = {}): Unstructured {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    spec: { infrastructureRef: { apiGroup: group, kind: 'ExampleCluster', name: home.name } },
    ...change,
    metadata: { uid: '', resourceVersion: '', ...clusterName, ...change.metadata },
  };
}

export const clusterOwner = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  name: clusterName.name,
  uid: '11111111-1111-4111-8111-111111111111',
};

function anObject(contract: ExampleContract, change: Partial<Unstructured> = {}): Unstructured {
  const metadata: ObjectMeta = {
    uid: '',
    resourceVersion: '',
    ...home,
    finalizers: [exampleFinalizer],
    ownerReferences: [clusterOwner],
  };
  return {
    apiVersion: `${group}/${contract}`,
    kind: 'ExampleCluster',
    spec: {},
    status: { conditions: [{ ...notPaused, ...(contract === 'v1beta2' ? { observedGeneration: 1 } : {}) }] },
    ...change,
    metadata: { ...metadata, ...change.metadata },
  };
}

function exampleCrd(contract: ExampleContract): Intent {
  const openAPIV3Schema = {
    type: 'object',
    properties: Object.fromEntries(
      ['spec', 'status'].map(part => [part, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }]),
    ),
  };
  const version = {
    name: contract,
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `exampleclusters.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'ExampleCluster', plural: 'exampleclusters' },
      versions: [version],
    },
  };
}
