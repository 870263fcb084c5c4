// Checks objects by creating them in an in-memory API server with Cluster API's webhooks.

import type { Intent } from '@capi-serverless/apimachinery';
import {
  type AdmissionRequest,
  type ApiCore,
  createApiCore,
  NoSuchRouteError,
  type ResourceEndpoint,
  StatusError,
} from '@capi-serverless/apiserver/core';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { createAdmission, localAdmissionGates } from '../admission.ts';
import type { ObjectProblem } from './finding.ts';

export interface CheckingApiServer {
  /** Returns 'unknown' if the server does not serve the kind. */
  create(object: Intent): CreateResult | 'unknown';
}

interface CreateResult {
  /** Errors and warnings. */
  readonly problems: readonly ObjectProblem[];
  /** The object with the defaults of its definition, or `undefined` if the server refused it. */
  readonly stored: Intent | undefined;
}

const definitionKind = 'CustomResourceDefinition';

export function isDefinition({ apiVersion, kind }: Pick<Intent, 'apiVersion' | 'kind'>): boolean {
  return kind === definitionKind && apiVersion.startsWith('apiextensions.k8s.io/');
}

/** Creates a server with these definitions. Invalid definitions are skipped. */
export function createApiServer(definitions: readonly Intent[]): CheckingApiServer {
  let count = 0;
  const { mutate, admit } = createAdmission(localAdmissionGates);
  const core = createApiCore({
    // Clusters are validated against the classes in the files, in any order.
    mutate,
    admit: (request, reads) => (ofClusters(request) ? undefined : admit(request, reads)),
    now: () => 0,
    ids: {
      uid: () => {
        count += 1;
        return `object-${count}`;
      },
      nameSuffix: () => 'aaaaa',
    },
  });
  for (const definition of definitions) {
    createIn(core, definition);
  }
  return { create: object => createIn(core, object) };
}

function ofClusters({ resource }: AdmissionRequest): boolean {
  return resource.group === clusterGroup && resource.kind === 'Cluster';
}

function createIn(core: ApiCore, object: Intent): CreateResult | 'unknown' {
  const endpoint = endpointOf(core, object);
  if (endpoint === undefined) {
    return 'unknown';
  }
  const namespace = endpoint.resource.namespaced ? (object.metadata.namespace ?? 'default') : '';
  const problems: ObjectProblem[] = [];
  const { resourceVersion: _, namespace: __, ...metadata } = object.metadata;
  const body = { ...object, metadata: { ...metadata, ...(namespace === '' ? {} : { namespace }) } };
  try {
    ensureNamespace(core, namespace);
    const writer = core.writing({
      onUnknown: paths =>
        problems.push(
          ...paths.map(
            (field): ObjectProblem => ({
              severity: 'error',
              field,
              message: 'the kind has no such field; it would be dropped',
            }),
          ),
        ),
      onWarning: message => problems.push({ severity: 'warning', field: '', message }),
    });
    const { metadata: given, ...stored } = writer.create(endpoint, namespace, body);
    return { problems, stored: { ...stored, metadata: { ...given } } };
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) {
      throw thrown;
    }
    return { problems: [...problems, ...toProblems(thrown)], stored: undefined };
  }
}

function endpointOf(core: ApiCore, { apiVersion, kind }: Intent): ResourceEndpoint | undefined {
  try {
    return core.registry.endpointOfKind(apiVersion, kind);
  } catch (thrown) {
    if (thrown instanceof NoSuchRouteError) {
      return undefined;
    }
    throw thrown;
  }
}

function ensureNamespace(core: ApiCore, name: string): void {
  const endpoint = core.registry.endpointOfKind('v1', 'Namespace');
  const isThere = name === '' || core.list(endpoint, {}).items.some(item => item.metadata.name === name);
  if (!isThere) {
    core.create(endpoint, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
}

function toProblems({ status }: StatusError): readonly ObjectProblem[] {
  // A duplicate object is reported at its position in the files.
  if (status.reason === 'AlreadyExists') {
    return [];
  }
  // A cause without a field only reports that further rules were not evaluated.
  const causes = (status.details?.causes ?? []).filter(({ field }) => field !== '<nil>');
  return causes.length === 0
    ? [{ severity: 'error', field: '', message: status.message ?? 'is refused' }]
    : causes.map(({ field, message }) => ({
        severity: 'error',
        field: field ?? '',
        message: message ?? status.message ?? 'is refused',
      }));
}
