// Definitions of the templates that ClusterClasses with simulated infrastructure reference. No reconciler handles a
// template.
import { movedByClusterctl } from '../../../shared/api/schema/core.ts';
import { ageColumn, type CustomResourceDefinition, toDefinition } from '../../../shared/api/schema/definition.ts';
import { anyObject, type JsonSchema, object, textMap } from '../../../shared/api/schema/json-schema.ts';
import { templateMetadata } from '../../../shared/api/schema/metadata-schemas.ts';
import { infrastructureSpec } from './infrastructure-parts.ts';
import { bootstrapSpec, machineSpec } from './machines.ts';
import { bootstrapGroup, controlPlaneGroup, controlPlaneRollout, durations, infrastructureGroup } from './parts.ts';

const version = 'v1beta2';

interface TemplateDescription {
  readonly group: string;
  /** The spec of the objects that are created from the template. */
  readonly kind: string;
  readonly description: string;
  /** The metadata of the objects that are created from the template. */
  readonly spec: JsonSchema;
}

function toTemplate({ group, kind, description, spec }: TemplateDescription): CustomResourceDefinition {
  const template = object(
    'The object to create from the template.',
    { metadata: templateMetadata('Labels and annotations of the created objects.'), spec },
    { required: ['spec'] },
  );
  return toDefinition({
    description,
    group,
    version,
    kind: `${kind}Template`,
    labels: { [`cluster.x-k8s.io/${version}`]: version, ...movedByClusterctl },
    spec: object('The template.', { template }, { required: ['template'] }),
    columns: [ageColumn],
  });
}

export const simulatedTemplateCrds: readonly CustomResourceDefinition[] = [
  toTemplate({
    group: infrastructureGroup,
    kind: 'SimulatedCluster',
    description: 'What simulated infrastructure is made from.',
    spec: infrastructureSpec,
  }),
  toTemplate({
    group: controlPlaneGroup,
    kind: 'SimulatedControlPlane',
    description: 'What simulated control planes are made from.',
    spec: object('Desired state of the simulated control planes.', {
      machineTemplate: anyObject('What Machines are made from.'),
      settings: textMap('Settings of the control plane. Stored unchanged.'),
      rollout: controlPlaneRollout,
      ...durations,
    }),
  }),
  toTemplate({
    group: infrastructureGroup,
    kind: 'SimulatedMachine',
    description: 'What simulated machines are made from.',
    spec: machineSpec,
  }),
  toTemplate({
    group: infrastructureGroup,
    kind: 'SimulatedMachinePool',
    description: 'What pools of simulated machines are made from.',
    spec: machineSpec,
  }),
  toTemplate({
    group: bootstrapGroup,
    kind: 'SimulatedBootstrapConfig',
    description: 'What makes simulated machines join their cluster.',
    spec: bootstrapSpec,
  }),
];
