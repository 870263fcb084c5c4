// The common parts of the objects that belong to one Machine or MachinePool: its infrastructure and its bootstrap
// configuration.
import { groupOf, type Kind, type Reads, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import { coreApiVersion, coreGroup, coreKind } from './machine-controller.ts';
import { find, textAt } from './read.ts';

export function memberKind(group: string, kind: string): Kind {
  return { group, version: 'v1beta2', kind, scope: 'Namespaced' };
}

/** The owner sets this label together with its owner reference. */
export function clusterNameOf({ metadata }: Unstructured): string {
  return metadata.labels?.[clusterNameLabel] ?? '';
}

type OwnerKind = 'Machine' | 'MachinePool';

/** Returns the object of this kind that owns the object. */
export async function findOwner(
  ask: Pick<Reads, 'get'>,
  { metadata }: Unstructured,
  ownerKind: OwnerKind,
): Promise<Unstructured | undefined> {
  const reference = metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === ownerKind && groupOf(apiVersion) === coreGroup,
  );
  const { namespace = '' } = metadata;
  const owner =
    reference && (await find(ask, { apiVersion: coreApiVersion, kind: ownerKind, namespace, name: reference.name }));
  return owner?.metadata.uid === reference?.uid ? owner : undefined;
}

/** An owner of this kind enqueues the object that its reference at this path names. */
export function ownerEvents(ownerKind: OwnerKind, path: string, kind: string): Watch {
  return {
    source: coreKind(ownerKind),
    as: 'object',
    map: ({ object }) =>
      textAt(object, `${path}.kind`) === kind
        ? [{ namespace: object.metadata.namespace ?? '', name: textAt(object, `${path}.name`) }]
        : [],
  };
}
