// Parses the path of a request (Kubernetes documentation, "API concepts: resource URIs"). Pure.
import { withoutUndefined } from '@capi-serverless/apimachinery';

export interface ResourceRoute {
  readonly type: 'resource';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export type RequestRoute =
  | ResourceRoute
  | { readonly type: 'root' | 'core versions' | 'groups' | 'version' | 'health' | 'openapi index' | 'openapi v2' }
  | { readonly type: 'group'; readonly group: string }
  | { readonly type: 'resources' | 'openapi document'; readonly group: string; readonly version: string };

const fixed: Readonly<Record<string, RequestRoute>> = {
  '': { type: 'root' },
  api: { type: 'core versions' },
  apis: { type: 'groups' },
  version: { type: 'version' },
  healthz: { type: 'health' },
  livez: { type: 'health' },
  readyz: { type: 'health' },
  'openapi/v2': { type: 'openapi v2' },
  'openapi/v3': { type: 'openapi index' },
  'openapi/v3/api/v1': { type: 'openapi document', group: '', version: 'v1' },
};

/** Returns undefined if the path cannot belong to a kind. A trailing slash is ignored. */
export function parsePath(path: string): RequestRoute | undefined {
  const segments = toSegments(path);
  if (segments === undefined) {
    return undefined;
  }
  const joined = segments.join('/');
  if (Object.hasOwn(fixed, joined)) {
    return fixed[joined];
  }
  const [first, second, third, group, version, ...more] = segments;
  if (first === 'openapi' && second === 'v3' && third === 'apis' && group && version && more.length === 0) {
    return { type: 'openapi document', group, version };
  }
  if (first === 'api' && second !== undefined) {
    return below({ group: '', version: second }, segments.slice(2));
  }
  if (first !== 'apis' || second === undefined) {
    return undefined;
  }
  return third === undefined
    ? { type: 'group', group: second }
    : below({ group: second, version: third }, segments.slice(3));
}

/** Returns decoded segments. Returns undefined for an empty inner segment and for invalid encoding. */
function toSegments(path: string): readonly string[] | undefined {
  const parts = path.split('/').slice(1);
  const trimmed = parts.at(-1) === '' ? parts.slice(0, -1) : parts;
  try {
    const segments = path.includes('%') ? trimmed.map(decodeURIComponent) : trimmed;
    return segments.some(segment => segment === '' || segment.includes('/')) ? undefined : segments;
  } catch {
    return undefined;
  }
}

function below(
  at: { readonly group: string; readonly version: string },
  segments: readonly string[],
): RequestRoute | undefined {
  const [first, second, third] = segments;
  if (first === undefined) {
    return { type: 'resources', ...at };
  }
  const isNamespaceItself = at.group === '' && (third === undefined || third === 'status' || third === 'finalize');
  if (first !== 'namespaces' || second === undefined || isNamespaceItself) {
    return resource(at, undefined, segments);
  }
  return third === undefined ? undefined : resource(at, second, segments.slice(2));
}

function resource(
  at: { readonly group: string; readonly version: string },
  namespace: string | undefined,
  segments: readonly string[],
): ResourceRoute | undefined {
  const [plural = '', name, subresource, ...more] = segments;
  return more.length > 0
    ? undefined
    : {
        type: 'resource',
        ...at,
        plural,
        ...withoutUndefined({ namespace, name, subresource }),
      };
}
