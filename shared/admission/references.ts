// References of a ClusterClass to templates: each on its own, and what an update must not change.
import { type FieldError, forbidden, invalidValue, quote, requiredValue } from '../api/field-error.ts';
import { groupOf } from '../api/object.ts';
import type { ClassSpec, TemplateRef } from './class.ts';

const suffix = 'Template';

export function isDefinedRef({ apiVersion, kind, name }: TemplateRef): boolean {
  return apiVersion !== '' || kind !== '' || name !== '';
}

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
    ...(isDefinedRef(machines) ? problemsOfReference(machines, 'spec.controlPlane.machineInfrastructure') : []),
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
  return apiVersion.split('/').length > 2
    ? [invalidValue(field, apiVersion, `template apiVersion must be a valid Kubernetes apiVersion: ${why}`)]
    : [];
}

interface Templated {
  readonly templateRef: TemplateRef;
}

interface WorkerClass {
  readonly class: string;
  readonly infrastructure: Templated;
}

/** What of a ClusterClass must keep its kind. */
export interface KindsOfClass {
  readonly infrastructure: Templated;
  readonly controlPlane: Templated & { readonly machineInfrastructure: Templated };
  readonly workers: Readonly<Record<'machineDeployments' | 'machinePools', readonly WorkerClass[]>>;
}

/** Group and kind of templates stay, but for those that make machines join. Of one class that changes, or of two. */
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
  const tell = (what: string, from: string, to: string): string =>
    `${what} cannot be changed from ${quote(from)} to ${quote(to)} to prevent incompatible changes in the Clusters`;
  const [oldGroup, group] = [groupOf(old.apiVersion), groupOf(now.apiVersion)];
  return [
    ...(oldGroup === group ? [] : [forbidden(`${field}.apiVersion`, tell('group of apiVersion', oldGroup, group))]),
    ...(old.kind === now.kind ? [] : [forbidden(`${field}.kind`, tell('kind', old.kind, now.kind))]),
  ];
}
