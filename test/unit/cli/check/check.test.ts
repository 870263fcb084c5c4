import { describe, expect, test } from 'vitest';
import { check } from '../../../../cli/check/check.ts';
import { printReport } from '../../../../local/findings/report.ts';
import {
  aClass,
  aPatch,
  controlTemplate,
  infrastructure,
  infraTemplate,
  lines,
} from '../../../support/checked-class.ts';

/** The definition of FastClusterTemplate, with the schema of what its objects make. */
function definitionOf(spec: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
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
        properties: {spec: {type: object, properties: {template: {type: object, properties: {spec: ${spec}}}}}}
`;
}

describe('an object that an API server would refuse', () => {
  test('is reported with the position of each field', () => {
    expect(lines(aClass('  workers:\n    machineDeployments:\n    - class: a\n  extra: 1\n'))).toEqual([
      expect.stringMatching(/^18:7 error spec\.workers\.machineDeployments\[0\]\.bootstrap: Required value/),
      expect.stringMatching(/^18:7 error spec\.workers\.machineDeployments\[0\]\.infrastructure: Required value/),
      expect.stringMatching(/^19:3 error spec\.extra: the kind has no such field/),
    ]);
  });

  test('is reported twice when the files contain it twice', () => {
    expect(lines(aClass(), aClass())).toEqual([
      '17:1 error undefined: class.yaml contains this object already; remove one of them',
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

  test('is checked by the definition in the same files', () => {
    const definition = definitionOf('{type: object}');
    expect(lines(infraTemplate, definition)).toEqual([
      expect.stringMatching(/^8:7 error spec\.template\.spec\.network: the kind has no such field/),
      expect.stringMatching(/^9:7 error spec\.template\.spec\.zones: the kind has no such field/),
    ]);
  });
});

describe('a path of a patch that the definition of its template fills in', () => {
  const template = `apiVersion: ${infrastructure}
kind: FastClusterTemplate
metadata: {name: infra}
spec: {template: {spec: {}}}
`;
  const network = (defaults: string): string =>
    definitionOf(
      `{type: object, properties: {network: {type: object, ${defaults}properties: {cidr: {type: string}}}}}`,
    );
  const patched = aClass(aPatch('{op: add, path: /spec/template/spec/network/cidr, value: 10.9.0.0/16}'));

  test('exists', () => {
    expect(lines(patched, template, controlTemplate, network('default: {}, '))).toEqual([]);
  });

  test('does not exist without the default', () => {
    expect(lines(patched, template, controlTemplate, network(''))).toEqual([
      expect.stringContaining('FastClusterTemplate infra has no /spec/template/spec/network'),
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
      reason: 'a variable without definition',
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
  ])('for $reason is reported', ({ rest, finding }) => {
    expect(lines(aClass(rest))).toEqual([expect.stringMatching(finding)]);
  });
});

test('an ExtensionConfig that the webhook of Cluster API would refuse is reported', () => {
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

  test('to another version than that in the files are reported', () => {
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
