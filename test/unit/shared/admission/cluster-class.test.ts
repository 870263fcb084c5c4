import { describe, expect, it } from 'vitest';
import { aSpec, controlPlane, deployments, infra, machines, reported, type Spec, worker } from './admission-class.ts';

const pools = (...machinePools: readonly object[]): Spec => ({ workers: { machinePools } });

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
    expect(reported(spec)).toEqual([]);
  });

  it('needs the feature gate, and without it nothing else is reported', () => {
    expect(reported({}, { gates: { clusterTopology: false } })).toEqual([
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
      spec: aSpec({ infrastructure: { ...infra, naming: { template: 'a'.repeat(4097) } } }),
      errors: [
        `spec.infrastructure.naming.template: Invalid value: "${'a'.repeat(4097)}": invalid InfraCluster name template: parsing template: limit exceeded: more than 4096 characters`,
      ],
      reason: 'a template of names is short',
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
      spec: aSpec({ kubernetesVersions: ['v1.34', 'v1.35-rc.1', 'v1.36.18446744073709551616'] }),
      errors: [
        'spec.kubernetesVersion[1]: Invalid value: "v1.35-rc.1": version must be a valid semantic version',
        'spec.kubernetesVersion[2]: Invalid value: "v1.36.18446744073709551616": version must be a valid semantic version',
      ],
      reason: 'a version without patch has no pre-release, and numbers have 64 bits',
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
      reason: 'of a long name only the kept part is checked',
    },
    {
      spec: aSpec({ controlPlane: { ...controlPlane, healthCheck: { checks: { nodeStartupTimeoutSeconds: 60 } } } }),
      errors: [],
      reason: 'the Machines of a control plane may be checked where it has some',
    },
  ];

  it.each(rows)('$reason', ({ spec, errors }) => {
    expect(reported(spec)).toEqual(errors);
  });

  it('has taints only where the feature gate lets them in', () => {
    const spec = aSpec({ controlPlane: { ...controlPlane, taints: [{ key: 'a' }] } });
    expect(reported(spec, { gates: { taintPropagation: false } })).toEqual([
      'spec.controlPlane.taints: Forbidden: taints are not allowed to be set when the feature gate MachineTaintPropagation is disabled',
    ]);
  });
});
