// Requests for discovery, OpenAPI, version and health.
import { createHash } from 'node:crypto';
import type { ApiCore } from '../core/api-core.ts';
import { NoSuchRouteError, StatusError } from '../core/status.ts';
import { aggregatedType, showAggregated, showCoreVersions, showGroup, showGroups, showResources } from './discovery.ts';
import { negotiate, wantsAggregated } from './negotiate.ts';
import { showDocument, showIndex } from './openapi.ts';
import { succeeded, type WholeReply } from './reply.ts';
import type { ApiRequest } from './request.ts';
import type { RequestRoute, ResourceRoute } from './route.ts';

/** The Kubernetes version that this server implements. kubectl compares its version with it. */
const version = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.0',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
};

/**
 * kubectl asks for version 2 about kinds that version 3 does not have. Without an answer, it reports a content type
 * instead of an unknown kind. So there is a document without kinds: field 1 of the message is the version.
 */
const emptyOpenApi2 = '\n\u00032.0';
const openApi2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The paths without authorization, as in kube-apiserver by default. */
export function isPublic(route: RequestRoute): boolean {
  return route.type === 'health' || route.type === 'version';
}

/** Throws StatusError or NoSuchRouteError if the request is refused. */
export function answerDocument(
  core: ApiCore,
  request: ApiRequest,
  route: Exclude<RequestRoute, ResourceRoute>,
): WholeReply {
  if (request.method !== 'GET') {
    throw new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  }
  const resources = core.registry.all();
  switch (route.type) {
    case 'health':
      return { type: 'whole', code: 200, encoding: 'text', body: toHealth(request) };
    case 'version':
      return shown(request, version);
    case 'root':
      return shown(request, { paths: ['/api', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'] });
    case 'core versions':
      return wantsAggregated(request.accept)
        ? aggregated(request, showAggregated(resources, 'core'))
        : shown(request, showCoreVersions());
    case 'groups':
      return wantsAggregated(request.accept)
        ? aggregated(request, showAggregated(resources, 'groups'))
        : shown(request, showGroups(resources));
    case 'group':
      return shown(request, present(showGroup(resources, route.group)));
    case 'resources':
      return shown(request, present(showResources(resources, route.group, route.version)));
    case 'openapi index':
      return succeeded(showIndex(resources, revisionOf(resources)));
    case 'openapi document':
      return succeeded(present(showDocument(resources, route.group, route.version)));
    case 'openapi v2':
      return request.accept?.includes('protobuf') === true
        ? succeeded(emptyOpenApi2, { encoding: 'text', contentType: openApi2Protobuf })
        : succeeded({ swagger: '2.0', info: { title: 'Kubernetes', version: 'unversioned' }, paths: {} });
  }
}

function toHealth({ query, path }: ApiRequest): string {
  return query.has('verbose') ? `[+]ping ok\n${path.slice(1)} check passed\n` : 'ok';
}

function shown({ accept }: ApiRequest, body: unknown): WholeReply {
  return succeeded(body, { encoding: negotiate(accept).encoding });
}

function present<T>(document: T | undefined): T {
  if (document === undefined) {
    throw new NoSuchRouteError();
  }
  return document;
}

function aggregated({ ifNoneMatch }: ApiRequest, document: unknown): WholeReply {
  const etag = `"${createHash('sha256').update(JSON.stringify(document)).digest('hex')}"`;
  if (ifNoneMatch === etag) {
    return { type: 'whole', code: 304, encoding: 'text', body: '', headers: { ETag: etag, Vary: 'Accept' } };
  }
  return succeeded(document, { contentType: aggregatedType, headers: { ETag: etag, Vary: 'Accept' } });
}

/** Changes whenever a kind is installed, changed or removed, because the registry then replaces the resources. */
function revisionOf(resources: readonly object[]): string {
  const names = resources.map(resource => {
    const known = revisions.get(resource) ?? nextRevision();
    revisions.set(resource, known);
    return known;
  });
  return createHash('sha256').update(names.join(',')).digest('hex').slice(0, 32);
}

const revisions = new WeakMap<object, number>();
let lastRevision = 0;

function nextRevision(): number {
  lastRevision += 1;
  return lastRevision;
}
