// Templates of names: rendered with made-up data, they must give names that objects can have.
import { type FieldError, invalidValue, quote } from '../api/field-error.ts';
import { parseTemplate } from '../go-template/parse.ts';
import { renderPlainTemplate } from '../go-template/plain.ts';
import { problemsOfSubdomain } from '../names/label-rules.ts';
import type { ClassSpec } from './class.ts';

const engineName = 'template name generator';
const shared: Readonly<Record<string, unknown>> = { cluster: { name: 'cluster' }, random: 'xxxxx' };

/** Longer names are cut, and get a random end. */
const longestName = 63;
const longestKept = 58;

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
  readonly data?: Readonly<Record<string, unknown>>;
}

function problemsOfTemplate(template: string, field: string, { kind, data }: Naming): readonly FieldError[] {
  const refuse = (why: string) => [invalidValue(field, template, `invalid ${kind} name template: ${why}`)];
  const parsed = parseTemplate(template, { name: engineName, functions: 'none', missingKey: 'error' });
  if (!parsed.ok) {
    return refuse(`parsing template ${quote(template)}: ${parsed.error}`);
  }
  const rendered = renderPlainTemplate(parsed.value, { ...shared, ...data });
  if (!rendered.ok) {
    return refuse(`rendering template: ${rendered.error}`);
  }
  const { value } = rendered;
  const name = value.length > longestName ? `${value.slice(0, longestKept)}xxxxx` : value;
  return problemsOfSubdomain(name).map(problem => invalidValue(field, template, problem));
}
