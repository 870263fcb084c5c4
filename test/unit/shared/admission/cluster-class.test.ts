import { describe, expect, it } from 'vitest';
import { admitClusterClass, forbidsClassDeletion, usesClass } from '../../../../shared/admission/cluster-class.ts';
import { printFieldError } from '../../../../shared/api/field-error.ts';
import type { Unstructured } from '../../../../shared/api/object.ts';

const gates = { clusterTopology: true, runtimeSdk: true, taintPropagation: true };
const ref = (kind: string, group = 'infrastructure'): object => ({
  apiVersion: `${group}.cluster.x-k8s.io/v1`,
  kind,
  name: 't',
});
const infra = { templateRef: ref('AClusterTemplate') };
const machines = { templateRef: ref('AMachineTemplate') };
const bootstrap = { templateRef: ref('AConfigTemplate', 'bootstrap') };
const controlPlane = { templateRef: ref('AControlPlaneTemplate', 'controlplane'), machineInfrastructure: machines };
const worker = (name: string, rest: object = {}): object => ({
  class: name,
  bootstrap,
  infrastructure: machines,
  ...rest,
});

type Spec = Readonly<Record<string, unknown>>;
const aSpec = (rest: Spec = {}): Spec => ({ infrastructure: infra, controlPlane, ...rest });
const deployments = (...machineDeployments: readonly object[]): Spec => ({ workers: { machineDeployments } });
const pools = (...machinePools: readonly object[]): Spec => ({ workers: { machinePools } });

function told(
  spec: Spec,
  change: { old?: Spec; usedBy?: readonly Unstructured[]; gates?: Partial<typeof gates> } = {},
) {
  const { old, usedBy = [] } = change;
  const before = old === undefined ? {} : { old: { spec: old } };
  const errors = admitClusterClass({ ...before, new: { spec }, usedBy, gates: { ...gates, ...change.gates } });
  return errors.map(printFieldError);
}

function aCluster(topology: object, name = 'c', namespace = 'ns'): Unstructured {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name, namespace, uid: 'u', resourceVersion: '1' },
    spec: { topology: { classRef: { name: 'cc' }, version: 'v1.36.0', ...topology } },
  };
}

/** As in a manifest that leaves it to the command line. */
function withoutNamespace(cluster: Unstructured): Unstructured {
  const { namespace: _, ...metadata } = cluster.metadata;
  return { ...cluster, metadata };
}

describe('a new ClusterClass', () => {
  it('that is in order is admitted', () => {
    const spec = aSpec({
      ...deployments(
        worker('a', {
          naming: { template: '{{ .cluster.name }}-{{ .machineDeployment.topologyName }}-{{ .random }}' },
        }),
      ),
      kubernetesVersions: ['v1.35.0', 'v1.36.0'],
      variables: [{ name: 'v', required: true, schema: { openAPIV3Schema: { type: 'string' } } }],
    });
    expect(told(spec)).toEqual([]);
  });

  it('needs the feature gate, and then nothing else is told', () => {
    expect(told({}, { gates: { clusterTopology: false } })).toEqual([
      'spec: Forbidden: can be set only if the ClusterTopology feature flag is enabled',
    ]);
  });

  const percent =
    'must be either an int or a percentage: invalid value for IntOrString: invalid type: string is not a percentage';
  const rows: readonly { readonly spec: Spec; readonly errors: readonly string[]; readonly reason: string }[] = [
    {
      spec: { ...aSpec(), infrastructure: { templateRef: { kind: 'Template' } } },
      errors: [
        'spec.infrastructure.ref.name: Required value: template name must be defined',
        'spec.infrastructure.ref.kind: Invalid value: "Template": template kind must be of form "<name>Template"',
        'spec.infrastructure.ref.apiVersion: Required value: template apiVersion must be defined',
      ],
      reason: 'a reference names a template completely',
    },
    {
      spec: aSpec(
        pools({
          class: 'a',
          bootstrap: { templateRef: { kind: 'AConfig', name: 't', apiVersion: 'a/b/c' } },
          infrastructure: machines,
        }),
      ),
      errors: [
        'spec.workers.machinePools[0].template.bootstrap.ref.kind: Invalid value: "AConfig": template kind must be of form "<name>Template"',
        'spec.workers.machinePools[0].template.bootstrap.ref.apiVersion: Invalid value: "a/b/c": template apiVersion must be a valid Kubernetes apiVersion: unexpected GroupVersion string: a/b/c',
      ],
      reason: 'so do those of workers',
    },
    {
      spec: aSpec({
        workers: { machineDeployments: [worker('a'), worker('a')], machinePools: [worker('a'), worker('a')] },
      }),
      errors: [
        'spec.workers.machineDeployments[1].class: Invalid value: "a": MachineDeployment class must be unique. MachineDeployment with class "a" is defined more than once',
        'spec.workers.machinePools[1].class: Invalid value: "a": MachinePool class must be unique. MachinePool with class "a" is defined more than once',
      ],
      reason: 'classes have names of their own',
    },
    {
      spec: aSpec(
        deployments(worker('a', { rollout: { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } } })),
      ),
      errors: [
        'spec.workers.machineDeployments[a].rollout.strategy.rollingUpdate: Invalid value: "0": maxUnavailable and maxSurge cannot both be 0',
      ],
      reason: 'a rollout must be able to go on',
    },
    {
      spec: aSpec(
        deployments(worker('a', { rollout: { strategy: { rollingUpdate: { maxUnavailable: '5', maxSurge: 'x%' } } } })),
      ),
      errors: [
        `spec.workers.machineDeployments[a].rollout.strategy.rollingUpdate.maxUnavailable: Invalid value: "5": ${percent}`,
        'spec.workers.machineDeployments[a].rollout.strategy.rollingUpdate.maxSurge: Invalid value: "x%": must be either an int or a percentage: invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax',
      ],
      reason: 'amounts are numbers or percentages',
    },
    {
      spec: aSpec({
        controlPlane: {
          templateRef: controlPlane.templateRef,
          healthCheck: { checks: { nodeStartupTimeoutSeconds: 10 } },
        },
        ...deployments(
          worker('a', {
            healthCheck: { remediation: { maxInFlight: 'x', triggerIf: { unhealthyLessThanOrEqualTo: 'y' } } },
          }),
          worker('b', {
            healthCheck: { checks: { nodeStartupTimeoutSeconds: 0 }, remediation: { maxInFlight: '10%' } },
          }),
        ),
      }),
      errors: [
        'spec.controlPlane.healthCheck.checks.nodeStartupTimeoutSeconds: Invalid value: 10: must be at least 30s',
        'spec.controlPlane.healthCheck: Forbidden: can be only set if spec.controlPlane.machineInfrastructure is set',
        `spec.workers.machineDeployments[a].healthCheck.remediation.triggerIf.unhealthyLessThanOrEqualTo: Invalid value: "y": ${percent}`,
        `spec.workers.machineDeployments[a].healthCheck.remediation.maxInFlight: Invalid value: "x": ${percent}`,
      ],
      reason: 'health checks give Nodes time, and need Machines',
    },
    {
      spec: aSpec({
        infrastructure: { ...infra, naming: { template: '{{ .nope }}' } },
        controlPlane: { ...controlPlane, naming: { template: '{{ .cluster.name' } },
        workers: {
          machineDeployments: [worker('a', { naming: { template: '{{ .cluster.name }}_x' } })],
          machinePools: [worker('a', { naming: { template: '{{ .machinePool.topologyName.x }}' } })],
        },
      }),
      errors: [
        'spec.infrastructure.naming.template: Invalid value: "{{ .nope }}": invalid InfraCluster name template: rendering template: template: template name generator:1:3: executing "template name generator" at <.nope>: map has no entry for key "nope"',
        'spec.controlPlane.naming.template: Invalid value: "{{ .cluster.name": invalid ControlPlane name template: parsing template "{{ .cluster.name": template: template name generator:1: unclosed action',
        "spec.workers.machineDeployments[a].naming.template: Invalid value: \"{{ .cluster.name }}_x\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        'spec.workers.machinePools[a].naming.template: Invalid value: "{{ .machinePool.topologyName.x }}": invalid MachinePool name template: rendering template: template: template name generator:1:15: executing "template name generator" at <.machinePool.topologyName.x>: can\'t evaluate field x in type interface {}',
      ],
      reason: 'templates of names give names',
    },
    {
      spec: aSpec(
        pools(
          worker('a', {
            taints: [
              { key: 'node.cluster.x-k8s.io/uninitialized' },
              { key: 'node.kubernetes.io/x' },
              { key: 'node.kubernetes.io/out-of-service' },
              { key: 'node.cloudprovider.kubernetes.io/x' },
              { key: 'node-role.kubernetes.io/master' },
            ],
          }),
        ),
      ),
      errors: [
        'spec.workers.machinePools[a].taints[0].key: Invalid value: "node.cluster.x-k8s.io/uninitialized": taint key is not allowed',
        'spec.workers.machinePools[a].taints[1].key: Invalid value: "node.kubernetes.io/x": taint key must not have the prefix node.kubernetes.io/, except for node.kubernetes.io/out-of-service',
        'spec.workers.machinePools[a].taints[3].key: Invalid value: "node.cloudprovider.kubernetes.io/x": taint key must not have the prefix node.cloudprovider.kubernetes.io/',
        'spec.workers.machinePools[a].taints[4].key: Invalid value: "node-role.kubernetes.io/master": taint is deprecated since 1.24 and should not be used anymore',
      ],
      reason: 'some taints are not for users',
    },
    {
      spec: aSpec({ variables: [{ name: 'a.b', required: true, schema: { openAPIV3Schema: { type: 'string' } } }] }),
      errors: ['spec.variables[a.b].name: Invalid value: "a.b": variable name cannot contain "."'],
      reason: 'variables are checked',
    },
    {
      spec: aSpec({ variables: [{ name: 'a', required: true, schema: { openAPIV3Schema: { type: 5 } } }] }),
      errors: ['spec.variables: Invalid value: 0.schema.openAPIV3Schema.type: expected string'],
      reason: 'and must be readable',
    },
    {
      spec: aSpec({
        controlPlane: { ...controlPlane, metadata: { labels: { 'a b': 'c' } } },
        ...deployments(worker('a', { metadata: { annotations: { 'a b': 'c' } } })),
      }),
      errors: [
        expect.stringMatching(/^spec.controlPlane.metadata.labels: Invalid value: "a b": name part must/),
        expect.stringMatching(
          /^spec.workers.machineDeployments\[a\].template.metadata.annotations: Invalid value: "a b"/,
        ),
      ] as string[],
      reason: 'labels and annotations keep their syntax',
    },
    {
      spec: aSpec({
        kubernetesVersions: [
          'v1.34.0',
          'x',
          'v1.34.0',
          'v1.36.1',
          'v1.36.0+b.1',
          'v1.36.0+b.2',
          'v1.36.0+c',
          'v1.36.0-rc.1',
        ],
      }),
      errors: [
        'spec.kubernetesVersion[1]: Invalid value: "x": version must be a valid semantic version',
        'spec.kubernetesVersion[2]: Invalid value: "v1.34.0": version must be greater than v1.34.0',
        'spec.kubernetesVersion[3]: Invalid value: "v1.36.1": expecting a version with minor 34 or 35, found version 1.36.1',
        'spec.kubernetesVersion[4]: Invalid value: "v1.36.0+b.1": version must be greater than v1.36.1',
        'spec.kubernetesVersion[7]: Invalid value: "v1.36.0-rc.1": version must be greater than v1.36.0+c',
      ],
      reason: 'versions go up one minor at a time; other builds of one may follow',
    },
    {
      spec: aSpec({
        kubernetesVersions: [
          'v1.36.0-alpha.1',
          'v1.36.0-alpha.1.1',
          'v1.36.0-alpha.word',
          'v1.36.0-alpha.2',
          'v1.36.0-beta',
          'v1.36.0-alpha',
        ],
      }),
      errors: [
        'spec.kubernetesVersion[3]: Invalid value: "v1.36.0-alpha.2": version must be greater than v1.36.0-alpha.word',
        'spec.kubernetesVersion[5]: Invalid value: "v1.36.0-alpha": version must be greater than v1.36.0-beta',
      ],
      reason: 'versions before a release go up, too: further parts, words after numbers, later words',
    },
    {
      spec: aSpec({
        infrastructure: { ...infra, naming: { template: `${'a'.repeat(57)}_{{ .cluster.name }}` } },
        controlPlane: { ...controlPlane, naming: { template: `${'a'.repeat(58)}_{{ .cluster.name }}` } },
      }),
      errors: [expect.stringMatching(/^spec.infrastructure.naming.template: .*: a lowercase RFC 1123 subdomain/)],
      reason: 'of a long name only what is kept is judged',
    },
    {
      spec: aSpec({ controlPlane: { ...controlPlane, healthCheck: { checks: { nodeStartupTimeoutSeconds: 60 } } } }),
      errors: [],
      reason: 'the Machines of a control plane may be checked where it has some',
    },
  ];

  it.each(rows)('$reason', ({ spec, errors }) => {
    expect(told(spec)).toEqual(errors);
  });

  it('has taints only where the feature gate lets them in', () => {
    const spec = aSpec({ controlPlane: { ...controlPlane, taints: [{ key: 'a' }] } });
    expect(told(spec, { gates: { taintPropagation: false } })).toEqual([
      'spec.controlPlane.taints: Forbidden: taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled',
    ]);
  });
});

describe('a changed ClusterClass', () => {
  it('scenario 50: gets no machine infrastructure where there was none', () => {
    const old = aSpec({ controlPlane: { templateRef: controlPlane.templateRef } });
    expect(told(aSpec(), { old })).toEqual([
      'spec.controlPlane.machineInfrastructure.templateRef.apiVersion: Forbidden: group of apiVersion cannot be changed from "" to "infrastructure.cluster.x-k8s.io" to prevent incompatible changes in the Clusters',
      'spec.controlPlane.machineInfrastructure.templateRef.kind: Forbidden: kind cannot be changed from "" to "AMachineTemplate" to prevent incompatible changes in the Clusters',
    ]);
  });

  it('keeps the kinds of its templates, but for those of bootstrap', () => {
    const now = worker('a', {
      infrastructure: { templateRef: ref('BMachineTemplate') },
      bootstrap: { templateRef: ref('BConfigTemplate') },
    });
    expect(told(aSpec(deployments(now, worker('b'))), { old: aSpec(deployments(worker('a'))) })).toEqual([
      'spec.workers.machineDeployments[0].infrastructure.templateRef.kind: Forbidden: kind cannot be changed from "AMachineTemplate" to "BMachineTemplate" to prevent incompatible changes in the Clusters',
    ]);
  });

  it('keeps the versions, classes and health checks that Clusters use', () => {
    const check = { checks: { nodeStartupTimeoutSeconds: 60 } };
    const old = aSpec({
      controlPlane: { ...controlPlane, healthCheck: check },
      workers: { machineDeployments: [worker('a'), worker('b', { healthCheck: check })], machinePools: [worker('p')] },
    });
    const cluster = aCluster({
      controlPlane: { healthCheck: { enabled: true } },
      workers: {
        machineDeployments: [
          { name: 'x', class: 'a' },
          { name: 'y', class: 'b', healthCheck: { enabled: true } },
        ],
        machinePools: [{ name: 'z', class: 'p' }],
      },
    });
    expect(
      told(aSpec({ ...deployments(worker('b')), kubernetesVersions: ['v1.35.0'] }), { old, usedBy: [cluster] }),
    ).toEqual([
      'spec.kubernetesVersions: Forbidden: Kubernetes Version v1.36.0 is used by Cluster "c" but not set in ClusterClass',
      'spec.workers.machineDeployments: Forbidden: MachineDeploymentClass "a" cannot be deleted because it is used by Cluster "c"',
      'spec.workers.machinePools: Forbidden: MachinePoolClass "p" cannot be deleted because it is used by Cluster "c"',
      'spec.controlPlane.healthCheck: Forbidden: healthCheck cannot be deleted because it is used by Cluster(s) "c"',
      'spec.workers.machineDeployments[b].healthCheck: Forbidden: healthCheck cannot be deleted because it is used by Cluster(s) "c"',
    ]);
    expect(told(aSpec(deployments(worker('b'))), { old })).toEqual([]);
  });

  it('leaves the number of replicas either to Clusters or to an autoscaler', () => {
    const annotations = { 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1' };
    const scaled = aSpec(deployments(worker('a', { metadata: { annotations } })));
    const cluster = aCluster({
      workers: {
        machineDeployments: [
          { name: 'x', class: 'a', replicas: 3, metadata: { annotations } },
          { name: 'y', class: 'a' },
        ],
      },
    });
    expect(told(scaled, { old: scaled, usedBy: [withoutNamespace(cluster)] })[0]).toContain(
      'cluster "c" in namespace ""',
    );
    expect(told(scaled, { old: scaled, usedBy: [cluster] })).toEqual([
      'spec.topology.workers.machineDeployments[x].replicas: Invalid value: 3: cannot be set for cluster "c" in namespace "ns" if the same MachineDeploymentTopology has autoscaler annotations',
      'spec.topology.workers.machineDeployments[x].replicas: Invalid value: 3: cannot be set for cluster "c" in namespace "ns" if the source class "a" of this MachineDeploymentTopology has autoscaler annotations',
    ]);
  });
});

describe('the deletion of a ClusterClass', () => {
  it('scenario 49: names three of the Clusters that use it, and counts the others', () => {
    const clusters = ['a', 'b', 'c', 'd', 'e'].map(name => aCluster({}, name));
    expect(forbidsClassDeletion(clusters)).toBe(
      'ClusterClass cannot be deleted because it is used by Cluster(s): ns/a, ns/b, ns/c, ... (2 more)',
    );
    expect(forbidsClassDeletion(clusters.slice(0, 1))).toMatch(/Cluster\(s\): ns\/a$/);
    expect(forbidsClassDeletion([])).toBeUndefined();
  });

  it.each([
    { cluster: aCluster({}), used: true, reason: 'the class of its own namespace' },
    { cluster: aCluster({}, 'c', 'other'), used: false, reason: 'the class of another namespace' },
    {
      cluster: aCluster({ classRef: { name: 'cc', namespace: 'ns' } }, 'c', 'other'),
      used: true,
      reason: 'it names the namespace',
    },
    { cluster: aCluster({ classRef: { name: 'dd' } }), used: false, reason: 'another class' },
    { cluster: { ...aCluster({}), apiVersion: 'v1' }, used: false, reason: 'not a Cluster of this API' },
    { cluster: withoutNamespace(aCluster({})), used: false, reason: 'a Cluster that is in no namespace yet' },
  ])('looks at the reference of each: $reason', ({ cluster, used }) => {
    expect(usesClass(cluster, { namespace: 'ns', name: 'cc' })).toBe(used);
  });
});

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

  it.each([
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a/-', value: null }),
      errors: [],
      reason: 'a value of null is a value',
    },
    { spec: jsonPatch({ op: 'remove', path: '/spec/a' }), errors: [], reason: 'removing needs no value' },
    { spec: jsonPatch({ op: 'add', path: '/spec/a/0', value: 1 }), errors: [], reason: 'a list may be begun anew' },
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
      reason: 'a patch has a name of its own and says what it does',
    },
    {
      spec: patched({ name: 'p', enabledIf: '{{ if .a }}', external: { generatePatchesExtension: 'g' } }),
      errors: [
        'spec.patches[0].enabledIf: Invalid value: "{{ if .a }}": template can not be parsed: template: enabledIf:1: unexpected EOF',
      ],
      reason: 'conditions are templates',
    },
    {
      spec: selecting(selector({})),
      errors: [expect.stringContaining('no selector enabled')],
      reason: 'something is selected',
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
      reason: 'a star stands at an end; nothing is looked at behind a pattern that is none',
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
      spec: jsonPatch({ op: 'remove', path: '/spec/a/0' }),
      errors: [
        `${at}.jsonPatches[0].path: Invalid value: "/spec/a/0": elements in arrays can not be accessed in a remove operation`,
      ],
      reason: 'and are not taken apart',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a' }),
      errors: [expect.stringContaining('jsonPatch must define one of value or valueFrom')],
      reason: 'a value comes from somewhere',
    },
    {
      spec: jsonPatch({ op: 'add', path: '/spec/a', value: 1, valueFrom: { template: '{{ .v', variable: 'x' } }),
      errors: [
        expect.stringContaining('jsonPatch can not define both value and valueFrom'),
        expect.stringContaining('valueFrom can not set both template and variable'),
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
      reason: 'a path alone is no variable',
    },
    {
      spec: selecting({ ...bootstrapKind, matchResources: { machineDeploymentClass: { names: ['a'] } } }),
      errors: [],
      reason: 'the bootstrap template of a class may be selected',
    },
  ])('$reason', ({ spec, errors }) => {
    expect(told(spec)).toEqual(errors);
  });

  it('that are external need the feature gate', () => {
    const spec = patched({ name: 'p', definitions: [], external: { generatePatchesExtension: 'g' } });
    expect(told(spec, { gates: { runtimeSdk: false } })).toEqual([
      expect.stringContaining('only one of definitions or external can be defined'),
      'spec.patches[0].external: Forbidden: patch.external can be used only if the RuntimeSDK feature flag is enabled',
    ]);
  });
});
