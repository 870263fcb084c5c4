// Converts targets to the path and query of a request. Pure.
import { groupOf, pluralOf } from '@capi-serverless/apimachinery';

/** The kind of the list of all resources of a group and version. Its path has neither resource nor name. */
export const resourceListKind = 'APIResourceList';

/** One object (with `name`), or all objects of a kind in one namespace or in all namespaces. */
export interface RequestTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: 'status' | 'eviction' | undefined;
  /** Default: the plural of the kind. */
  readonly plural?: string | undefined;
}

export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Returns the reason why the target is not valid, or `undefined`. An empty name would change a get to a list. A name
 * that consists of dots would address another path.
 */
export function problemOf(target: RequestTarget): string | undefined {
  const parts = { namespace: target.namespace, name: target.name };
  for (const [what, value] of Object.entries(parts)) {
    if (value !== undefined && (value === '' || value === '.' || value === '..' || /[/%]/.test(value))) {
      return `${what} ${JSON.stringify(value)} of a ${target.kind} is not valid`;
    }
  }
  return target.apiVersion === '' || target.kind === '' ? 'apiVersion and kind must not be empty' : undefined;
}

/** Returns `/api/v1/…` or `/apis/<group>/<version>/…`. */
export function toPath(target: RequestTarget): string {
  const { apiVersion, kind, namespace, name, subresource, plural = pluralOf(kind) } = target;
  const root = groupOf(apiVersion) === '' ? 'api' : 'apis';
  const segments = [
    ...apiVersion.split('/'),
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    ...(kind === resourceListKind ? [] : [plural]),
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `/${root}/${segments.map(encodeURIComponent).join('/')}`;
}

/** Returns `?a=b&…` without undefined parameters. Empty if there are none. */
export function toQueryString(query: QueryParameters): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Returns the labels and the label keys as a selector, or undefined if there are none. */
export function toLabelSelector(
  labels: Readonly<Record<string, string>> | undefined,
  keys: readonly string[] = [],
): string | undefined {
  const parts = [...Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`), ...keys];
  return parts.length === 0 ? undefined : parts.join(',');
}

/** Returns the fields as an equality-based selector, or undefined if there are none. */
export function toFieldSelector(fields: Readonly<Record<string, string>> | undefined): string | undefined {
  const pairs = Object.entries(fields ?? {}).map(([path, value]) => `${path}=${value.replace(/[\\,=]/g, '\\$&')}`);
  return pairs.length === 0 ? undefined : pairs.join(',');
}

/** Returns a text for messages, for example `patch clusters.cluster.x-k8s.io/status default/c1`. */
export function toLabel(verb: string, target: RequestTarget): string {
  const group = groupOf(target.apiVersion);
  const resource = `${pluralOf(target.kind)}${group === '' ? '' : `.${group}`}`;
  const subresource = target.subresource === undefined ? '' : `/${target.subresource}`;
  const object = [target.namespace, target.name].filter(part => part !== undefined).join('/');
  return [verb, `${resource}${subresource}`, object].filter(part => part !== '').join(' ');
}
