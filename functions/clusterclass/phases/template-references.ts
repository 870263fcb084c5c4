// The templates that a ClusterClass references. As upstream, this excludes remediation templates.

import { crdNameOf, groupOf } from '@capi-serverless/apimachinery';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { isDefinedTemplateRef, type TemplateRef } from '../../../shared/api/topology-parts.ts';

/** Returns each reference once, in the order in which messages list them. References that are not set are omitted. */
export function referencesOf({ spec }: Pick<ClusterClass, 'spec'>): readonly TemplateRef[] {
  const { infrastructure, controlPlane, workers } = spec;
  const all = [
    infrastructure,
    controlPlane,
    controlPlane.machineInfrastructure,
    ...[...workers.machineDeployments, ...workers.machinePools].flatMap(worker => [
      worker.bootstrap,
      worker.infrastructure,
    ]),
  ].map(({ templateRef }) => templateRef);
  const defined = all.filter(isDefinedTemplateRef);
  return [...new Map(defined.map(ref => [JSON.stringify([ref.name, ref.kind, ref.apiVersion]), ref])).values()];
}

/** The CustomResourceDefinition of the referenced kind. */
export function definitionOf({ apiVersion, kind }: TemplateRef): string {
  return crdNameOf({ group: groupOf(apiVersion), kind });
}
