// The common parts of the objects that belong to one Machine: its infrastructure and its bootstrap configuration.
import { groupOf, type Kind, type Reads, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import { coreApiVersion, coreGroup, coreKind } from './machine-controller.ts';
import { find, textAt } from './read.ts';

export function memberKind(group: string, kind: string): Kind {
  return { group, version: 'v1beta2', kind, scope: 'Namespaced' };
}

/** The Machine sets this label together with its owner reference. */
export function clusterNameOf({ metadata }: Unstructured): string {
  return metadata.labels?.[clusterNameLabel] ?? '';
}

/** Returns the Machine that owns the object. */
export async function findMachine(
  ask: Pick<Reads, 'get'>,
  { metadata }: Unstructured,
): Promise<Unstructured | undefined> {
  const owner = metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'Machine' && groupOf(apiVersion) === coreGroup,
  );
  const { namespace = '' } = metadata;
  const machine =
    owner && (await find(ask, { apiVersion: coreApiVersion, kind: 'Machine', namespace, name: owner.name }));
  return machine?.metadata.uid === owner?.uid ? machine : undefined;
}

/** A Machine enqueues the object that its reference at this path names. */
export function machineEvents(path: string, kind: string): Watch {
  return {
    source: coreKind('Machine'),
    as: 'object',
    map: ({ object }) =>
      textAt(object, `${path}.kind`) === kind
        ? [{ namespace: object.metadata.namespace ?? '', name: textAt(object, `${path}.name`) }]
        : [],
  };
}
