// Admission of the patches of a ClusterClass.
import { describe, expect, it } from 'vitest';
import { aSpec, deployments, reported, type Spec, worker } from './admission-class.ts';

describe('patches', () => {
  const selector = (matchResources: object, kind = 'AMachineTemplate'): object => ({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1',
    kind,
    matchResources,
  });
  const bootstrapKind = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1', kind: 'AConfigTemplate' };
  const good = selector({ machineDeploymentClass: { names: ['a'] } });
  const patched = (...patches: readonly object[]): Spec =>
    aSpec({
      ...deployments(worker('a'), worker('b')),
      variables: [{ name: 'v', required: true, schema: { openAPIV3Schema: { type: 'string' } } }],
      patches,
    });
  const jsonPatch = (patch: object): Spec =>
    patched({ name: 'p', definitions: [{ selector: good, jsonPatches: [patch] }] });
  const selecting = (of: object): Spec => patched({ name: 'p', definitions: [{ selector: of, jsonPatches: [] }] });
  const at = 'spec.patches[0].definitions[0]';
  /** Returns a text that contains JSON. */
  const printed = (value: unknown): string => JSON.stringify(JSON.stringify(value, undefined, 2));

  it.each([
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a/-', value: null }),
      errors: [],
      reason: 'a value of null is a value',
    },
    { spec: jsonPatch({ op: 'remove', path: '/spec/a' }), errors: [], reason: 'removing needs no value' },
    { spec: jsonPatch({ op: 'add', path: '/spec/a/0', value: 1 }), errors: [], reason: 'a list may be started again' },
    {
      spec: jsonPatch({ op: 'replace', path: '/spec/a', valueFrom: { variable: 'builtin.cluster.name' } }),
      errors: [],
      reason: 'builtin variables are known',
    },
    {
      spec: jsonPatch({ op: 'replace', path: '/spec/a', valueFrom: { variable: 'v[0].x' } }),
      errors: [],
      reason: 'so are the own ones',
    },
    { spec: selecting(selector({ machineDeploymentClass: { names: ['*'] } })), errors: [], reason: 'all classes' },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['a*', '*b'] } })),
      errors: [],
      reason: 'some classes',
    },
    { spec: selecting(selector({ controlPlane: true })), errors: [], reason: 'machines of the control plane' },
    {
      spec: patched(
        { name: 'p' },
        { name: 'p', external: {} },
        { name: '', external: { generatePatchesExtension: 'g' } },
        { name: 'inline', external: { validateTopologyExtension: 'g' } },
      ),
      errors: [
        'spec.patches[0]: Required value: one of definitions or external must be defined',
        'spec.patches[1].name: Invalid value: "p": patch names must be unique. Patch with name "p" is defined more than once',
        'spec.patches[1].external: Invalid value: {}: one of validateTopologyExtension and generatePatchesExtension must be defined',
        'spec.patches[2].name: Required value: patch name must be defined',
        'spec.patches[3].name: Required value: "inline" can not be used as the name of a patch',
      ],
      reason: 'a patch has a unique name and at least one definition',
    },
    {
      spec: patched({ name: 'p', enabledIf: '{{ if .a }}', external: { generatePatchesExtension: 'g' } }),
      errors: [
        'spec.patches[0].enabledIf: Invalid value: "{{ if .a }}": template can not be parsed: template: enabledIf:1: unexpected EOF',
      ],
      reason: 'conditions are templates',
    },
    {
      spec: selecting(selector({ machinePoolClass: { names: [] } })),
      errors: [
        `${at}.selector: Invalid value: ${printed({ apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind: 'AMachineTemplate', matchResources: {} })}: no selector enabled`,
      ],
      reason: 'something is selected',
    },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['*a', 'b*'] } })),
      errors: [],
      reason: 'a star stands for nothing as well',
    },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['*x'] } })),
      errors: [expect.stringContaining('matches neither the bootstrap ref nor the infrastructure ref')],
      reason: 'a star before other letters selects nothing here',
    },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['x*'] } })),
      errors: [expect.stringContaining('matches neither the bootstrap ref nor the infrastructure ref')],
      reason: 'nor does a star after them',
    },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['A_b?'] } })),
      errors: [expect.stringContaining('matches neither the bootstrap ref nor the infrastructure ref')],
      reason: 'a name without a star is compared as it is',
    },
    {
      spec: selecting(
        selector({ infrastructureCluster: true, controlPlane: true, machinePoolClass: { names: ['a'] } }, 'XTemplate'),
      ),
      errors: [
        `${at}.selector.matchResources.infrastructureCluster: Invalid value: true: selector is enabled but does not match the infrastructure ref`,
        `${at}.selector.matchResources.controlPlane: Invalid value: true: selector is enabled but matches neither the controlPlane ref nor the controlPlane machineInfrastructure ref`,
        `${at}.selector.matchResources.machinePoolClass.names[0]: Invalid value: "a": selector is enabled but matches neither the bootstrap ref nor the infrastructure ref of a MachinePool class`,
      ],
      reason: 'what is selected is there',
    },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['nope', 'a*b', 'a'] } })),
      errors: [
        `${at}.selector.matchResources.machineDeploymentClass.names[0]: Invalid value: "nope": selector is enabled but matches neither the bootstrap ref nor the infrastructure ref of a MachineDeployment class`,
        `${at}.selector.matchResources.machineDeploymentClass.names[1]: Invalid value: "a*b": "*" rune can only appear at the beginning, or ending of the selector`,
      ],
      reason: 'a star is only valid at an end; an invalid pattern stops the check',
    },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['**'] } })),
      errors: [
        `${at}.selector.matchResources.machineDeploymentClass.names[0]: Invalid value: "**": selector can at most contain a single "*" rune`,
      ],
      reason: 'one star is enough',
    },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['a_*b?'.replace('*b', '*')] } })),
      errors: [expect.stringContaining('"*" rune can only appear at the beginning')],
      reason: 'the rest is a name',
    },
    {
      spec: selecting(selector({ machineDeploymentClass: { names: ['?*'] } })),
      errors: [
        `${at}.selector.matchResources.machineDeploymentClass.names[0]: Invalid value: "?*": selector does not comply with the Kubernetes naming standards`,
      ],
      reason: 'of a name as Kubernetes has them',
    },
    {
      spec: jsonPatch({ op: 'move', path: '/x' }),
      errors: [
        `${at}.jsonPatches[0].op: Unsupported value: "{\\n  \\"op\\": \\"move\\",\\n  \\"path\\": \\"/x\\"\\n}": supported values: "add", "remove", "replace"`,
        `${at}.jsonPatches[0].path: Invalid value: "{\\n  \\"op\\": \\"move\\",\\n  \\"path\\": \\"/x\\"\\n}": jsonPatch path must start with "/spec"`,
      ],
      reason: 'three operations, below spec',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a/1', value: 1 }),
      errors: [
        `${at}.jsonPatches[0].path: Invalid value: "/spec/a/1": arrays can only be accessed using "0" (prepend) or "-" (append)`,
      ],
      reason: 'lists grow at their ends',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a/12/b', value: 1 }),
      errors: [
        `${at}.jsonPatches[0].path: Invalid value: "/spec/a/12/b": arrays can only be accessed using "0" (prepend) or "-" (append)`,
      ],
      reason: 'and in the middle of a path',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/-3', value: 1 }),
      errors: [
        `${at}.jsonPatches[0].path: Invalid value: "/spec/-3": arrays can only be accessed using "0" (prepend) or "-" (append)`,
      ],
      reason: 'a sign before digits is an index, too',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/v1/1a/a1', value: 1 }),
      errors: [],
      reason: 'digits within a name are not an index',
    },
    {
      spec: jsonPatch({ op: 'replace', path: '/spec/a/1', value: 1 }),
      errors: [
        `${at}.jsonPatches[0].path: Invalid value: "/spec/a/1": elements in arrays can not be accessed in a replace operation`,
      ],
      reason: 'items are not replaced',
    },
    {
      spec: jsonPatch({ op: 'test', path: '/spec/a/1' }),
      errors: [expect.stringContaining('supported values: "add", "remove", "replace"')],
      reason: 'another operation is reported once',
    },
    {
      spec: jsonPatch({ op: 'remove', path: '/spec/a/0' }),
      errors: [
        `${at}.jsonPatches[0].path: Invalid value: "/spec/a/0": elements in arrays can not be accessed in a remove operation`,
      ],
      reason: 'and are not taken apart',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a' }),
      errors: [
        `${at}.jsonPatches[0]: Invalid value: ${printed({ op: 'add', path: '/spec/a' })}: jsonPatch must define one of value or valueFrom`,
      ],
      reason: 'a value comes from somewhere',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a', value: 1, valueFrom: { template: '{{ .v', variable: 'x' } }),
      errors: [
        `${at}.jsonPatches[0]: Invalid value: ${printed({ op: 'add', path: '/spec/a', value: 1, valueFrom: { variable: 'x', template: '{{ .v' } })}: jsonPatch can not define both value and valueFrom`,
        `${at}.jsonPatches[0].valueFrom: Invalid value: ${printed({ variable: 'x', template: '{{ .v' })}: valueFrom can not set both template and variable`,
        `${at}.jsonPatches[0].valueFrom.template: Invalid value: "{{ .v": template can not be parsed: template: valueFrom.template:1: unclosed action`,
        `${at}.jsonPatches[0].valueFrom.variable: Invalid value: "x": variable with name x cannot be found`,
      ],
      reason: 'from one place only',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a', valueFrom: {} }),
      errors: [`${at}.jsonPatches[0].valueFrom: Invalid value: "{}": valueFrom must set either template or variable`],
      reason: 'from a place that is named',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a', valueFrom: { variable: 'builtin.nope' } }),
      errors: [
        `${at}.jsonPatches[0].valueFrom.variable: Invalid value: "builtin.nope": not a defined builtin variable`,
      ],
      reason: 'builtin variables are a fixed list',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a', valueFrom: { variable: '.' } }),
      errors: [`${at}.jsonPatches[0].valueFrom.variable: Invalid value: ".": variable with name . cannot be found`],
      reason: 'a path alone is not a variable',
    },
    {
      spec: selecting({ ...bootstrapKind, matchResources: { machineDeploymentClass: { names: ['a'] } } }),
      errors: [],
      reason: 'the bootstrap template of a class may be selected',
    },
  ])('$reason', ({ spec, errors }) => {
    expect(reported(spec)).toEqual(errors);
  });

  it('that are both inline and external are shown without their empty fields', () => {
    const selector = { apiVersion: 'a/v1', kind: 'ATemplate', matchResources: { controlPlane: true } };
    const jsonPatches = [
      { op: 'add', path: '/spec/a', valueFrom: { variable: 'a' } },
      { op: 'remove', path: '/spec/b' },
      { op: 'add', path: '/spec/c', value: '' },
    ];
    const spec = patched({
      name: 'p',
      definitions: [{ selector, jsonPatches }],
      external: { generatePatchesExtension: 'g', settings: { a: 'b' } },
    });
    const shown = {
      name: 'p',
      definitions: [{ selector, jsonPatches }],
      external: { generatePatchesExtension: 'g', settings: { a: 'b' } },
    };
    expect(reported(spec)).toContain(
      `spec.patches[0]: Invalid value: ${JSON.stringify(shown)}: only one of definitions or external can be defined`,
    );
    const empty = patched({ name: 'p', definitions: [], external: {} });
    expect(reported(empty)).toContain(
      'spec.patches[0]: Invalid value: {"name":"p","definitions":[],"external":{}}: only one of definitions or external can be defined',
    );
  });

  it('that are external need the feature gate', () => {
    const spec = patched({ name: 'p', definitions: [], external: { generatePatchesExtension: 'g' } });
    expect(reported(spec, { gates: { runtimeSdk: false } })).toEqual([
      expect.stringContaining('only one of definitions or external can be defined'),
      'spec.patches[0].external: Forbidden: patch.external can be used only if the RuntimeSDK feature flag is enabled',
    ]);
  });
});
