// The object that asks an external controller to remediate a Machine: a copy of the template. Pure.
import type { Intent, ObjectRef, PartialObject, Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { RemediationTemplateRef } from '../../../shared/api/machine-health-check/reader.ts';
import { objectFromTemplate } from '../../../shared/external/object-from-template.ts';

export type RequestKind = Pick<ObjectRef, 'apiVersion' | 'kind'>;

/** As in upstream, the version of the reference is used. No contract determines it. */
export function requestKindOf({ apiVersion, kind }: RemediationTemplateRef): RequestKind {
  return { apiVersion, kind: kind.replace(/Template$/, '') };
}

/** The name is that of the Machine, so there is at most one request per Machine and kind. */
export function toRequest({ metadata, spec }: WholeMachine, template: Unstructured): Intent {
  const { name, namespace, uid } = metadata;
  return objectFromTemplate(template, {
    name,
    namespace,
    labels: { [clusterNameLabel]: spec.clusterName },
    annotations: {},
    owner: { apiVersion: clusterApiVersion, kind: 'Machine', name, uid },
  });
}

/** An object of the same name that was created for another Machine is not taken for the request of this one. */
export function isRequestOf({ metadata }: PartialObject, machine: WholeMachine): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === machine.metadata.uid);
}
