import { describe, expect, test } from 'vitest';
import { check } from '../../../../../infra/local/check/check.ts';
import { printReport } from '../../../../../infra/local/check/report.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const controlPlane = 'controlplane.cluster.x-k8s.io/v1beta2';

/** `name`, with the patches given as YAML below `  patches:`. */
function aClass(rest = ''): string {
  return `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata:
  name: quick
spec:
  infrastructure:
    templateRef:
      apiVersion: ${infrastructure}
      kind: FastClusterTemplate
      name: infra
  controlPlane:
    templateRef:
      apiVersion: ${controlPlane}
      kind: FastControlPlaneTemplate
      name: control
${rest}`;
}

const infraTemplate = `apiVersion: ${infrastructure}
kind: FastClusterTemplate
metadata:
  name: infra
spec:
  template:
    spec:
      network: {}
      zones: [a]
`;

const controlTemplate = `apiVersion: ${controlPlane}
kind: FastControlPlaneTemplate
metadata:
  name: control
spec:
  template:
    spec: {}
`;

function aPatch(...operations: readonly string[]): string {
  return `  patches:
  - name: fast
    definitions:
    - selector:
        apiVersion: ${infrastructure}
        kind: FastClusterTemplate
        matchResources: {infrastructureCluster: true}
      jsonPatches:
${operations.map(operation => `      - ${operation}`).join('\n')}
`;
}

function lines(...texts: readonly string[]): readonly string[] {
  const text = texts.join('---\n');
  const { findings } = check([{ name: 'class.yaml', text }]);
  return findings.map(
    ({ line, column, severity, field, message }) => `${line}:${column} ${severity} ${field}: ${message}`,
  );
}

describe('an object that an API server would refuse', () => {
  test('is told with the place of each field', () => {
    expect(lines(aClass('  workers:\n    machineDeployments:\n    - class: a\n  extra: 1\n'))).toEqual([
      expect.stringMatching(/^18:7 error spec\.workers\.machineDeployments\[0\]\.bootstrap: Required value/),
      expect.stringMatching(/^18:7 error spec\.workers\.machineDeployments\[0\]\.infrastructure: Required value/),
      expect.stringMatching(/^19:3 error spec\.extra: the kind has no such field/),
    ]);
  });

  test('is told twice when it stands in the files twice', () => {
    expect(lines(aClass(), aClass())).toEqual([
      '17:1 error undefined: this object stands in class.yaml already; remove one of them',
    ]);
  });

  test('hides no other object', () => {
    const { findings, objects } = check([
      { name: 'broken.yaml', text: 'a: [' },
      { name: 'nameless.yaml', text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}' },
      { name: 'class.yaml', text: aClass('  unknown: 1\n') },
    ]);
    expect(objects).toBe(1);
    expect(findings.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'broken.yaml:1',
      'class.yaml:16',
      'nameless.yaml:3',
    ]);
  });

  test('is checked by the definition that comes with it', () => {
    const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fastclustertemplates.infrastructure.cluster.x-k8s.io}
spec:
  group: infrastructure.cluster.x-k8s.io
  names: {kind: FastClusterTemplate, plural: fastclustertemplates}
  scope: Namespaced
  versions:
  - name: v1beta2
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {template: {type: object, properties: {spec: {type: object}}}}}}
`;
    expect(lines(infraTemplate, definition)).toEqual([
      expect.stringMatching(/^8:7 error spec\.template\.spec\.network: the kind has no such field/),
      expect.stringMatching(/^9:7 error spec\.template\.spec\.zones: the kind has no such field/),
    ]);
  });
});

describe('a class that the webhook of Cluster API would refuse', () => {
  const selector = `    - selector:
        apiVersion: ${infrastructure}
        kind: SlowClusterTemplate
        matchResources: {infrastructureCluster: true}
`;

  test.each([
    {
      reason: 'a selector that selects nothing of the class',
      rest: `  patches:
  - name: fast
    definitions:
${selector}      jsonPatches:
      - {op: remove, path: /spec/template}
`,
      finding:
        /^22:\d+ error spec\.patches\[0\]\.definitions\[0\]\.selector\.matchResources\.infrastructureCluster: .*does not match the infrastructure ref/,
    },
    {
      reason: 'a variable that nobody defines',
      rest: aPatch('{op: add, path: /spec/template/spec/a, valueFrom: {variable: nowhere}}'),
      finding:
        /^24:\d+ error spec\.patches\[0\]\.definitions\[0\]\.jsonPatches\[0\]\.valueFrom\.variable: .*variable with name nowhere cannot be found/,
    },
    {
      reason: 'a template that is not closed',
      rest: aPatch('{op: add, path: /spec/template/spec/a, valueFrom: {template: "{{ .a"}}'),
      finding:
        /^24:\d+ error spec\.patches\[0\]\.definitions\[0\]\.jsonPatches\[0\]\.valueFrom\.template: .*template can not be parsed/,
    },
  ])('for $reason is told', ({ rest, finding }) => {
    expect(lines(aClass(rest))).toEqual([expect.stringMatching(finding)]);
  });
});

test('an ExtensionConfig that the webhook of Cluster API would refuse is told', () => {
  const config = `apiVersion: runtime.cluster.x-k8s.io/v1beta2
kind: ExtensionConfig
metadata: {name: a.b}
spec:
  clientConfig:
    url: http://extension.example
`;
  expect(lines(config)).toEqual([
    expect.stringMatching(/^3:\d+ error metadata\.name: .*should be a valid DNS1123 label name/),
    expect.stringMatching(/^6:5 error spec\.clientConfig\.url: .*'https' is the only allowed URL scheme/),
  ]);
});

describe('references of a class', () => {
  test('are compared when templates are there', () => {
    expect(lines(aClass(), infraTemplate)).toEqual([
      '12:5 warning spec.controlPlane.templateRef: FastControlPlaneTemplate control is not in the files',
    ]);
  });

  test('to another version than that of the files are told', () => {
    const [finding] = lines(aClass(), infraTemplate.replace('v1beta2', 'v1beta1'), controlTemplate);
    expect(finding).toMatch(
      /^8:7 warning spec\.infrastructure\.templateRef\.apiVersion: refers to .*v1beta2, but .*v1beta1$/,
    );
  });

  test('are noted once when there is nothing to compare them with', () => {
    const { findings, notes } = check([{ name: 'class.yaml', text: aClass() }]);
    expect(findings).toEqual([]);
    expect(notes).toEqual(['no template of ClusterClass quick is in the files: nothing was compared with them']);
  });
});

describe('paths of patches', () => {
  test.each([
    {
      reason: 'a member of an object that is there',
      operation: '{op: add, path: /spec/template/spec/network/id, value: 1}',
    },
    { reason: 'the end of a list', operation: '{op: add, path: /spec/template/spec/zones/-, value: b}' },
    { reason: 'what is replaced', operation: '{op: replace, path: /spec/template/spec/network, value: {}}' },
  ])('may lead to $reason', ({ operation }) => {
    expect(lines(aClass(aPatch(operation)), infraTemplate, controlTemplate)).toEqual([]);
  });

  test.each([
    {
      reason: 'a parent that is missing',
      operation: '{op: add, path: /spec/template/spec/a/b, value: 1}',
      missing: '/spec/template/spec/a',
    },
    {
      reason: 'a member to replace that is missing',
      operation: '{op: replace, path: /spec/template/spec/b, value: 1}',
      missing: '/spec/template/spec/b',
    },
    {
      reason: 'a member to remove that is missing',
      operation: '{op: remove, path: /spec/template/spec/b}',
      missing: '/spec/template/spec/b',
    },
    {
      reason: 'a member of a text',
      operation: '{op: add, path: /spec/template/spec/zones/0/x, value: 1}',
      missing: '/spec/template/spec/zones/0',
    },
  ])('must not lead to $reason', ({ operation, missing }) => {
    const [finding, ...others] = lines(aClass(aPatch(operation)), infraTemplate, controlTemplate);
    expect(finding).toMatch(/^24:\d+ warning spec\.patches\[0\]\.definitions\[0\]\.jsonPatches\[0\]\.path: /);
    expect(finding).toContain(`FastClusterTemplate infra has no ${missing}, so that`);
    expect(others).toEqual([]);
  });

  test('may lead below what an earlier patch writes, even when only a reconcile knows what that is', () => {
    const patch = aPatch(
      '{op: add, path: /spec/template/spec/a, value: {}}',
      '{op: add, path: /spec/template/spec/a/b, valueFrom: {template: "{{ .builtin.cluster.name }}"}}',
      '{op: add, path: /spec/template/spec/a/b/c, value: 1}',
    );
    expect(lines(aClass(patch), infraTemplate, controlTemplate)).toEqual([]);
  });

  test('cannot reach the prototype of anything', () => {
    const patch = aPatch(
      '{op: add, path: /spec/__proto__/polluted, value: 1}',
      '{op: add, path: /spec/__proto__, value: {polluted: 1}}',
    );
    lines(aClass(patch), infraTemplate, controlTemplate);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('a Cluster of a class of the files', () => {
  const cluster = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one}
spec:
  topology:
    classRef: {name: quick}
    version: v1.34.0
    workers:
      machineDeployments:
      - name: md
        class: big
`;

  test('can have no workers that the class does not offer', () => {
    expect(lines(cluster, aClass())).toEqual([
      '11:9 error spec.topology.workers.machineDeployments[0].class: Invalid value: "big": MachineDeploymentClass with name "big" does not exist in ClusterClass "quick"; it has none',
    ]);
  });

  test('can have no version that the class does not list', () => {
    expect(
      lines(cluster.slice(0, cluster.indexOf('    workers')), aClass('  kubernetesVersions: [v1.35.0]\n')),
    ).toEqual([
      '7:5 error spec.topology.version: Invalid value: "v1.34.0": version must match one of the versions defined in the ClusterClass; it has v1.35.0',
    ]);
  });

  const required = 'could not parse the value of the annotation: strconv.Atoi: parsing "many": invalid syntax';
  const amount =
    'must be either an int or a percentage: invalid value for IntOrString: invalid type: string is not a percentage';
  const enabled =
    'cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass';
  const autoscaled =
    'cannot be set for cluster "two" in namespace "default" if the same MachineDeploymentTopology has autoscaler annotations';

  test('is told with everything that the webhook would refuse, each at its place and with what to do', () => {
    const workers = `  workers:
    machineDeployments:
    - class: worker
      bootstrap: {templateRef: {apiVersion: a.cluster.x-k8s.io/v1, kind: AConfigTemplate, name: a}}
      infrastructure: {templateRef: {apiVersion: a.cluster.x-k8s.io/v1, kind: AMachineTemplate, name: a}}
`;
    const wrong = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: two
  annotations:
    topology.cluster.x-k8s.io/upgrade-concurrency: many
spec:
  clusterNetwork:
    pods:
      cidrBlocks: [10.0.0.0]
  topology:
    classRef: {name: quick}
    version: "1.34"
    controlPlane:
      healthCheck:
        checks: {nodeStartupTimeoutSeconds: 5}
    workers:
      machineDeployments:
      - name: md
        class: worker
        replicas: 2
        metadata:
          annotations:
            cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "1"
        healthCheck:
          enabled: true
        rollout:
          strategy:
            type: RollingUpdate
            rollingUpdate: {maxSurge: 0, maxUnavailable: 0}
      - name: other
        class: worker
        rollout:
          strategy:
            type: RollingUpdate
            rollingUpdate: {maxSurge: "5"}
      machinePools:
      - name: mp
        class: none
`;
    const md = 'spec.topology.workers.machineDeployments';
    expect(lines(wrong, aClass(workers))).toEqual([
      `6:5 error metadata.annotations[topology.cluster.x-k8s.io/upgrade-concurrency]: Invalid value: "many": ${required}; write a number from "1" on`,
      '10:20 error spec.clusterNetwork.pods.cidrBlocks[0]: Invalid value: "10.0.0.0": invalid CIDR address: 10.0.0.0',
      '13:5 error spec.topology.version: Invalid value: "v1.34": version must be a valid semantic version; write all three numbers, as in v1.36.0',
      '15:7 error spec.topology.controlPlane.healthCheck: Forbidden: can be only set if spec.controlPlane.machineInfrastructure is set in ClusterClass; take the healthCheck away, or use another class',
      '16:18 error spec.topology.controlPlane.healthCheck.checks.nodeStartupTimeoutSeconds: Invalid value: 5: must be at least 30s; 0 waits for ever',
      `21:9 error ${md}[md].replicas: Invalid value: 2: ${autoscaled}; take replicas or the annotations away`,
      `26:11 error ${md}[md].healthCheck.enabled: Forbidden: ${enabled}; say checks or remediation beside it`,
      `30:13 error ${md}[md].rollout.strategy.rollingUpdate: Invalid value: "0": maxUnavailable and maxSurge cannot both be 0; one of them must be at least 1`,
      `36:29 error ${md}[other].rollout.strategy.rollingUpdate.maxSurge: Invalid value: "5": ${amount}; write a number, or a percentage as in "25%"`,
      '39:9 error spec.topology.workers.machinePools[0].class: Invalid value: "none": MachinePoolClass with name "none" does not exist in ClusterClass "quick"; it has none',
    ]);
  });

  test('may leave the prefix of its version out, and stand before or behind its class', () => {
    const fine = cluster.slice(0, cluster.indexOf('    workers')).replace('v1.34.0', '1.34.0');
    const listing = aClass('  kubernetesVersions: [v1.34.0]\n');
    expect(lines(fine, listing)).toEqual([]);
    expect(lines(listing, fine)).toEqual([]);
  });

  test('is noted when the class is elsewhere', () => {
    const { findings, notes } = check([{ name: 'cluster.yaml', text: cluster }]);
    expect(findings).toEqual([]);
    expect(notes).toEqual(['the class of Cluster one is not in the files: its variables and workers were not checked']);
  });
});

describe('a Cluster without topology', () => {
  const cluster = (version: string) =>
    `apiVersion: cluster.x-k8s.io/${version}\nkind: Cluster\nmetadata: {name: one}\nspec: {controlPlaneEndpoint: {host: h, port: 1}}\n`;

  test('must be made of something', () => {
    expect(lines(cluster('v1beta2'))).toEqual([
      '4:1 error spec: Forbidden: one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set',
    ]);
  });

  test('in another version of the API is not judged', () => {
    expect(lines(cluster('v1beta1'))).toEqual([]);
  });
});

describe('variables', () => {
  const variables = `  variables:
  - name: region
    required: true
    schema: {openAPIV3Schema: {type: string, enum: [north, south]}}
  - name: size
    required: false
    schema: {openAPIV3Schema: {type: integer, default: 3, minimum: 1}}
`;
  const cluster = (values: string): string => `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one}
spec:
  topology:
    classRef: {name: quick}
    version: v1.34.0
    variables:
${values}`;

  test('of a class must be well defined', () => {
    const [finding, ...others] = lines(aClass(variables.replaceAll('size', 'a.b')));
    expect(finding).toBe('20:5 error spec.variables[a.b].name: Invalid value: "a.b": variable name cannot contain "."');
    expect(others).toEqual([]);
  });

  test('that a Cluster sets must be defined', () => {
    expect(
      lines(cluster('    - {name: region, value: north}\n    - {name: colour, value: red}\n'), aClass(variables)),
    ).toEqual(['10:7 error spec.topology.variables[colour]: Invalid value: "\\"red\\"": variable is not defined']);
  });

  test('that must be set must be there', () => {
    expect(lines(cluster('    - {name: size, value: 1}\n'), aClass(variables))).toEqual([
      '8:5 error spec.topology.variables: Required value: required variable "region" must be set',
    ]);
  });

  test('that an extension may define are noted', () => {
    const patches =
      '  patches:\n  - name: ext\n    external: {generatePatchesExtension: g.e, discoverVariablesExtension: d.e}\n';
    const text = [
      cluster('    - {name: region, value: north}\n    - {name: colour, value: red}\n'),
      aClass(variables + patches),
    ].join('---\n');
    const { findings, notes } = check([{ name: 'class.yaml', text }]);
    expect(findings).toEqual([]);
    expect(notes).toContain('variables of Cluster one that extensions of its class may define were not checked');
  });
});

describe('a report', () => {
  const report = check([{ name: 'a,b.yaml', text: aClass('  extra: 1\n') }]);

  test('reads like that of a compiler', () => {
    expect(printReport(report, 'text')).toBe(
      'a,b.yaml:16:3: error: ClusterClass default/quick: spec.extra: the kind has no such field; it would be dropped\n' +
        '1 object checked, 1 error, 0 warnings\n',
    );
  });

  test('annotates a pull request', () => {
    expect(printReport(report, 'github').split('\n')[0]).toBe(
      '::error file=a%2Cb.yaml,line=16,col=3,title=ClusterClass default/quick%3A spec.extra::the kind has no such field; it would be dropped',
    );
  });

  test('is one JSON document', () => {
    expect(JSON.parse(printReport(report, 'json'))).toEqual(report);
  });
});
