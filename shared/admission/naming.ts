// Checks naming templates: rendered with sample data, they must produce valid object names.
import { type FieldError, invalidValue, problemsOfSubdomain, quote } from '@capi-serverless/apimachinery';
import { longestPlainTemplate, parseTemplate, renderPlainTemplate } from '@capi-serverless/go-template/plain';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';

const engineName = 'template name generator';
const shared: Readonly<Record<string, unknown>> = { cluster: { name: 'cluster' }, random: 'xxxxx' };

/** Longer names are truncated and get a random suffix. */
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
  if (template.length > longestPlainTemplate) {
    return refuse(`parsing template: limit exceeded: more than ${longestPlainTemplate} characters`);
  }
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
