// The declaration of a provider's reconciler: watches, owned fields and RBAC rules, derived from the author's options.
import { type Kind, type Name, pluralOf, type Unstructured } from '@capi-serverless/apimachinery';
import { providerPaths, readString, valueOr } from '@capi-serverless/cluster-api/contract';
import type { DeclarationOf, PolicyRule, SourceEvent } from '@capi-serverless/reconciler';
import type { ProviderOptions } from './author.ts';
import type { ProviderRole } from './role.ts';

export const defaultTimeoutSeconds = 60;
const clusterKind: Kind = { group: 'cluster.x-k8s.io', version: 'v1beta2', kind: 'Cluster', scope: 'Namespaced' };

/** The Cluster field that references objects of this provider. */
export type ClusterReference = 'infrastructureRef' | 'controlPlaneRef';

interface Declaring {
  readonly role: ProviderRole;
  readonly reference: ClusterReference;
  /** Dotted paths, including `status.`, that the SDK writes for this role. */
  readonly paths: readonly string[];
}

export function toDeclaration<Result, Spec, Status>(
  options: ProviderOptions<Result, Spec, Status>,
  { role, reference, paths }: Declaring,
): DeclarationOf<never> {
  const { group, version, kind } = options;
  const name = options.name ?? toKebabCase(kind);
  return {
    name,
    primary: { group, version, kind, scope: 'Namespaced' },
    timeoutSeconds: options.timeoutSeconds ?? defaultTimeoutSeconds,
    fieldManager: name,
    eventSource: `${kind.toLowerCase()}-controller`,
    owns: {
      conditions: ['Paused', ...role.conditions],
      v1beta1: [],
      status: [...paths.map(belowStatus), ...role.status],
    },
    ports: [],
    rules: [...toRules(group, kind), ...(options.rules ?? [])],
    watches: [
      { source: { group, version, kind, scope: 'Namespaced' }, as: 'metadata', map: ({ object }) => [nameOf(object)] },
      { source: clusterKind, as: 'object', map: event => toReferenced(event, { group, kind, reference }) },
    ],
  };
}

/** The status paths that every role writes under this contract. */
export function failurePathsOf(contract: ProviderRole['contract']): readonly string[] {
  const paths = providerPaths[contract].failure;
  return paths === undefined ? [] : [paths.reason, paths.message];
}

/** The RBAC rules of every reconciler for its kind. */
export function toOwnRules(group: string, kind: string): readonly PolicyRule[] {
  const plural = pluralOf(kind);
  return [
    {
      apiGroups: [group],
      resources: [plural],
      verbs: ['get', 'list', 'watch', 'patch'],
      why: 'reconciles these objects: finalizer and endpoint',
    },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ['patch'], why: 'reports their state' },
  ];
}

function toRules(group: string, kind: string): readonly PolicyRule[] {
  return [
    ...toOwnRules(group, kind),
    {
      apiGroups: [clusterKind.group],
      resources: ['clusters'],
      verbs: ['get', 'list', 'watch'],
      why: 'reads the owning Cluster: paused, endpoint',
    },
  ];
}

/** Returns the object of this provider that a changed Cluster references, if any. */
function toReferenced(
  { object }: SourceEvent,
  { group, kind, reference }: { readonly group: string; readonly kind: string; readonly reference: ClusterReference },
): readonly Name[] {
  const field = (name: string): string => valueOr(readString(object, `spec.${reference}.${name}`), '');
  const isOurs = field('apiGroup') === group && field('kind') === kind && field('name') !== '';
  return isOurs ? [{ ...nameOf(object), name: field('name') }] : [];
}

export function nameOf({ metadata }: Pick<Unstructured, 'metadata'>): Name {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

/** For example `SimulatedCluster` → `simulated-cluster`, `AWSCluster` → `aws-cluster`. */
function toKebabCase(kind: string): string {
  return kind.replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2').toLowerCase();
}

function belowStatus(path: string): string {
  return path.replace(/^status\./, '');
}
