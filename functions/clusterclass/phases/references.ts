// The templates that a ClusterClass names. Templates of remediation are none of its business.
import type { ClusterClass, TemplateReference } from '../../../shared/api/cluster-class/reader.ts';
import { groupOf } from '../../../shared/api/object.ts';
import { crdNameOf } from '../../../shared/names/plural.ts';

/** Each reference once, in the order in which messages list them; what is not defined is left out. */
export function referencesOf({ spec }: Pick<ClusterClass, 'spec'>): readonly TemplateReference[] {
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
  const defined = all.filter(ref => Object.values(ref).some(part => part !== ''));
  return [...new Map(defined.map(ref => [JSON.stringify([ref.name, ref.kind, ref.apiVersion]), ref])).values()];
}

/** The definition of the kind that the reference names. */
export function definitionOf({ apiVersion, kind }: TemplateReference): string {
  return crdNameOf({ group: groupOf(apiVersion), kind });
}
