// The objects of the scenarios: ClusterResourceSet ns/r1 with ConfigMap cm1 and Secret s1, Cluster c1.
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { toSecretData } from '../../../../shared/api/secret.ts';
import { aCluster } from '../../../support/builders.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';

const addons = 'addons.cluster.x-k8s.io/v1beta2';
export const paused = 'cluster.x-k8s.io/paused';
export const finalizer = 'addons.cluster.x-k8s.io';

export class SetObject extends ObjectBuilder {
  /** Top-level fields. */
  holding(fields: JsonObject): this {
    return this.with(fields);
  }
}

const selector = { matchLabels: { app: 'x' } };

/** A ClusterResourceSet without finalizer and conditions. */
export function aFreshSet(name = 'r1'): SetObject {
  return new SetObject({ apiVersion: addons, kind: 'ClusterResourceSet', name }).withSpec({
    clusterSelector: selector,
    strategy: 'ApplyOnce',
    resources: [
      { kind: 'ConfigMap', name: 'cm1' },
      { kind: 'Secret', name: 's1' },
    ],
  });
}

export function aSet(name = 'r1'): SetObject {
  return aFreshSet(name)
    .withFinalizers(finalizer)
    .withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 1 });
}

export const reconcilingSet = (): SetObject => aSet().withSpec({ strategy: 'Reconcile' });

/** The Cluster reconciler has reached its API server, or not. */
export function matchingCluster(name = 'c1', { isProbed = true }: { readonly isProbed?: boolean } = {}) {
  return aCluster()
    .named(name)
    .labelled({ app: 'x' })
    .withUid(`uid-of-${name}`)
    .withCondition('RemoteConnectionProbe', { status: isProbed ? 'True' : 'False' });
}

export function kubeconfigOf(name = 'c1'): Unstructured {
  return new SetObject({ apiVersion: 'v1', kind: 'Secret', name: `${name}-kubeconfig` })
    .holding({ data: { value: toSecretData('kubeconfig') } })
    .build();
}

export function configMap(data: Readonly<Record<string, string>> | undefined, name = 'cm1'): Unstructured {
  return new SetObject({ apiVersion: 'v1', kind: 'ConfigMap', name })
    .holding(data === undefined ? {} : { data })
    .build();
}

const resourceSetType = 'addons.cluster.x-k8s.io/resource-set';

export function secret(data: Readonly<Record<string, string>>, type = resourceSetType): Unstructured {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, toSecretData(text)]));
  return new SetObject({ apiVersion: 'v1', kind: 'Secret', name: 's1' }).holding({ type, data: encoded }).build();
}

/** The manifest of a ConfigMap in namespace w. */
export function manifest(name: string, data: Readonly<Record<string, string>> = { k: 'v' }, namespace = 'w'): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
}

export const setRef = (name = 'r1') =>
  ({ apiVersion: addons, kind: 'ClusterResourceSet', namespace: 'ns', name }) as const;
export const bindingRef = (name = 'c1') =>
  ({ apiVersion: addons, kind: 'ClusterResourceSetBinding', namespace: 'ns', name }) as const;

export function aBinding(name: string, ...setNames: readonly string[]): SetObject {
  const bindings = setNames.map(clusterResourceSetName => ({ clusterResourceSetName }));
  return new SetObject({ apiVersion: addons, kind: 'ClusterResourceSetBinding', name }).withSpec({
    clusterName: name,
    ...(bindings.length === 0 ? {} : { bindings }),
  });
}
