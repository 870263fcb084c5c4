// Checks naming templates: rendered with sample data, they must produce valid object names.
import {
  type Checked,
  type FieldError,
  invalidValue,
  mapChecked,
  problemsOfSubdomain,
} from '@capi-serverless/apimachinery';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';
import { fitName } from '../names/name-length.ts';
import { type NameData, renderName } from '../names/naming-template.ts';

export const sampleRandom = 'xxxxx';
const shared: NameData = { cluster: { name: 'cluster' }, random: sampleRandom };

export function problemsOfNaming(spec: ClassSpec): readonly FieldError[] {
  const { infrastructure, controlPlane, workers } = spec;
  const check = (template: string, field: string, of: Naming) =>
    template === '' ? [] : problemsOfTemplate(template, field, of);
  return [
    ...check(infrastructure.naming.template, 'spec.infrastructure.naming.template', { kind: 'InfraCluster' }),
    ...check(controlPlane.naming.template, 'spec.controlPlane.naming.template', { kind: 'ControlPlane' }),
    ...workers.machineDeployments.flatMap(({ class: name, naming }) =>
      check(naming.template, `spec.workers.machineDeployments[${name}].naming.template`, {
        kind: 'MachineDeployment',
        data: { machineDeployment: { topologyName: 'mdtopology' } },
      }),
    ),
    ...workers.machinePools.flatMap(({ class: name, naming }) =>
      check(naming.template, `spec.workers.machinePools[${name}].naming.template`, {
        kind: 'MachinePool',
        data: { machinePool: { topologyName: 'mptopology' } },
      }),
    ),
  ];
}

interface Naming {
  readonly kind: string;
  readonly data?: NameData;
}

function problemsOfTemplate(template: string, field: string, { kind, data }: Naming): readonly FieldError[] {
  const name = sampleName(template, { ...shared, ...data });
  return name.ok
    ? problemsOfSubdomain(name.value).map(problem => invalidValue(field, template, problem))
    : [invalidValue(field, template, `invalid ${kind} name template: ${name.error}`)];
}

/** Returns the name that the template generates from sample data, with sample characters instead of random ones. */
export function sampleName(template: string, data: NameData): Checked<string> {
  return mapChecked(renderName(template, data), name => fitName(name, sampleRandom));
}
