// Checks the template references of a ClusterClass: each reference alone, and the changes that an update must not make.
import { type FieldError, forbidden, groupOf, invalidValue, quote, requiredValue } from '@capi-serverless/apimachinery';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';
import { isDefinedTemplateRef, type TemplateRef } from '../api/topology-parts.ts';

const suffix = 'Template';

export function problemsOfReferences(spec: ClassSpec): readonly FieldError[] {
  const { controlPlane, workers } = spec;
  const { templateRef: machines } = controlPlane.machineInfrastructure;
  const ofWorkers = (list: 'machineDeployments' | 'machinePools'): readonly FieldError[] =>
    workers[list].flatMap(({ bootstrap, infrastructure }, index) => {
      const field = `spec.workers.${list}[${index}].template`;
      return [
        ...problemsOfReference(bootstrap.templateRef, `${field}.bootstrap`),
        ...problemsOfReference(infrastructure.templateRef, `${field}.infrastructure`),
      ];
    });
  return [
    ...problemsOfReference(spec.infrastructure.templateRef, 'spec.infrastructure'),
    ...problemsOfReference(controlPlane.templateRef, 'spec.controlPlane'),
    ...(isDefinedTemplateRef(machines) ? problemsOfReference(machines, 'spec.controlPlane.machineInfrastructure') : []),
    ...ofWorkers('machineDeployments'),
    ...ofWorkers('machinePools'),
  ];
}

function problemsOfReference({ name, kind, apiVersion }: TemplateRef, base: string): readonly FieldError[] {
  const wrongKind = `template kind must be of form "<name>${suffix}"`;
  return [
    ...(name === '' ? [requiredValue(`${base}.ref.name`, 'template name must be defined')] : []),
    ...(kind.length <= suffix.length || !kind.endsWith(suffix)
      ? [invalidValue(`${base}.ref.kind`, kind, wrongKind)]
      : []),
    ...problemsOfApiVersion(apiVersion, `${base}.ref.apiVersion`),
  ];
}

function problemsOfApiVersion(apiVersion: string, field: string): readonly FieldError[] {
  if (apiVersion === '' || apiVersion === '/') {
    return [requiredValue(field, 'template apiVersion must be defined')];
  }
  const why = `unexpected GroupVersion string: ${apiVersion}`;
  return isReadable(apiVersion)
    ? []
    : [invalidValue(field, apiVersion, `template apiVersion must be a valid Kubernetes apiVersion: ${why}`)];
}

function isReadable(apiVersion: string): boolean {
  return apiVersion.split('/').length <= 2;
}

interface Templated {
  readonly templateRef: TemplateRef;
}

interface WorkerClass {
  readonly class: string;
  readonly infrastructure: Templated;
}

/** The parts of a ClusterClass whose kind must not change. */
interface KindsOfClass {
  readonly infrastructure: Templated;
  readonly controlPlane: Templated & { readonly machineInfrastructure: Templated };
  readonly workers: Readonly<Record<'machineDeployments' | 'machinePools', readonly WorkerClass[]>>;
}

/**
 * Group and kind of templates must not change, except for bootstrap templates. This applies to updates of a class and
 * to changes to another class.
 */
export function problemsOfChanges(old: KindsOfClass, spec: KindsOfClass): readonly FieldError[] {
  const machines = 'spec.controlPlane.machineInfrastructure.templateRef';
  const ofWorkers = (list: 'machineDeployments' | 'machinePools'): readonly FieldError[] =>
    spec.workers[list].flatMap((each, index) =>
      old.workers[list]
        .filter(before => before.class === each.class)
        .flatMap(before => {
          const field = `spec.workers.${list}[${index}].infrastructure.templateRef`;
          return problemsOfChange(before.infrastructure.templateRef, each.infrastructure.templateRef, field);
        }),
    );
  return [
    ...problemsOfChange(
      old.infrastructure.templateRef,
      spec.infrastructure.templateRef,
      'spec.infrastructure.templateRef',
    ),
    ...problemsOfChange(old.controlPlane.templateRef, spec.controlPlane.templateRef, 'spec.controlPlane.templateRef'),
    ...problemsOfChange(
      old.controlPlane.machineInfrastructure.templateRef,
      spec.controlPlane.machineInfrastructure.templateRef,
      machines,
    ),
    ...ofWorkers('machineDeployments'),
    ...ofWorkers('machinePools'),
  ];
}

function problemsOfChange(old: TemplateRef, now: TemplateRef, field: string): readonly FieldError[] {
  const differs = (what: string, from: string, to: string): string =>
    `${what} cannot be changed from ${quote(from)} to ${quote(to)} to prevent incompatible changes in the Clusters`;
  const [oldGroup, group] = [readableGroup(old), readableGroup(now)];
  return [
    ...(oldGroup === group ? [] : [forbidden(`${field}.apiVersion`, differs('group of apiVersion', oldGroup, group))]),
    ...(old.kind === now.kind ? [] : [forbidden(`${field}.kind`, differs('kind', old.kind, now.kind))]),
  ];
}

function readableGroup({ apiVersion }: TemplateRef): string {
  return isReadable(apiVersion) ? groupOf(apiVersion) : '';
}
