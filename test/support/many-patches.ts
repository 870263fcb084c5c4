// A very large topology, for measurements: each MachineDeployment has its own class, and every patch applies to all of them.

import { computeDesired } from '../../functions/topology/plan/desired/compute.ts';
import type { Desired } from '../../functions/topology/plan/desired/desired-topology.ts';
import type { Blueprint } from '../../shared/topology/model/blueprint.ts';
import { aCurrent, settledNames, settledVersions } from './settled-topology.ts';
import { aBlueprint, aSettledTopologyCluster, aTopologyClass } from './topology-objects.ts';

interface ManyPatches {
  readonly machineDeployments: number;
  readonly patches: number;
}

const machines = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'GenericInfrastructureMachineTemplate',
  matchResources: { machineDeploymentClass: { names: ['*'] } },
};
const bootstrap = {
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfigTemplate',
  matchResources: { machineDeploymentClass: { names: ['class-*'] } },
};

/** Conditions and most values are the same for all patches. Some contain a different version or a whole file. */
function aPatch(number: number) {
  const at = (name: string) => `/spec/template/spec/${name}${number}`;
  const image = `{{ .registry }}/image-${number}:{{ .builtin.machineDeployment.version }}`;
  const file = `content: |
{{ range .mirrors }}  mirror ${number} {{ . }}
{{ end }}path: /etc/{{ .builtin.machineDeployment.topologyName }}/${number}
`;
  return {
    name: `patch-${number}`,
    enabledIf: `{{ if .features.f${number % 10} }}true{{ end }}`,
    definitions: [
      {
        selector: machines,
        jsonPatches: [
          { op: 'add', path: at('image'), valueFrom: { template: image } },
          { op: 'add', path: at('size'), valueFrom: { variable: 'size' } },
        ],
      },
      {
        selector: bootstrap,
        jsonPatches: [
          {
            op: 'add',
            path: '/spec/template/spec/commands/-',
            ...(number % 10 === 0 ? { valueFrom: { template: file } } : { value: { name: `command-${number}` } }),
          },
        ],
      },
    ],
  };
}

export function manyPatches({ machineDeployments, patches }: ManyPatches): {
  readonly blueprint: Blueprint;
  readonly desired: Desired;
} {
  const numbers = Array.from({ length: machineDeployments }, (_, index) => index);
  const names = numbers.map(number => `md-${number}`);
  const plain = aTopologyClass().build();
  const [worker] = Object.values(Object(plain.spec).workers.machineDeployments);
  const values = {
    registry: 'registry.example',
    size: 'large',
    mirrors: ['one', 'two', 'three'],
    features: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`f${index}`, true])),
  };
  const variables = Object.entries(values).map(([name, value]) => ({ name, value }));
  const blueprint = aBlueprint({
    cluster: aSettledTopologyCluster({
      workers: { machineDeployments: numbers.map(number => ({ class: `class-${number}`, name: `md-${number}` })) },
    }),
    clusterClass: aTopologyClass({
      spec: {
        workers: { machineDeployments: numbers.map(number => ({ ...Object(worker), class: `class-${number}` })) },
        patches: Array.from({ length: patches }, (_, number) => aPatch(number)),
      },
    }),
    definitions: variables.map(({ name }) => ({
      name,
      definitionsConflict: false,
      definitions: [{ from: 'inline', required: true, schema: { openAPIV3Schema: {} } }],
    })),
    variables: {
      cluster: variables,
      machineDeployments: new Map(names.map((name, index) => [name, [{ name: 'size', value: `size-${index}` }]])),
    },
  });
  const versions = settledVersions();
  const of = (name: string) => ({
    object: { name },
    bootstrap: { name: `${name}-b` },
    infrastructure: { name: `${name}-i` },
  });
  const desired = computeDesired({
    blueprint,
    current: aCurrent(),
    names: { ...settledNames, machineDeployments: new Map(names.map(name => [name, of(name)])) },
    versions: {
      ...versions,
      machineDeployments: { ...versions.machineDeployments, versions: new Map(names.map(name => [name, 'v1.31.0'])) },
    },
  });
  if (!desired.ok) {
    throw new Error(desired.error);
  }
  return { blueprint, desired: desired.value };
}
