import { describe, expect, it } from 'vitest';
import { at, found } from '../plan/desired/desired-input.ts';
import { inline, of, outcomeOf, patched, problemOf, specOf } from './patched.ts';

const add = (path: string, value: unknown) => ({ op: 'add', path, value });
const addFrom = (path: string, valueFrom: unknown) => ({ op: 'add', path, valueFrom });
const template = (text: string) => addFrom('/spec/template/spec/foo', { template: text });
const variable = (path: string) => addFrom('/spec/template/spec/foo', { variable: path });

describe('inline patches', () => {
  it('changes nothing and calls no extension where there are none', async () => {
    const { outcome, desired, reads } = await patched({ patches: [] });
    expect(outcome).toEqual({ ok: true, value: desired });
    expect(reads).toEqual([]);
  });

  it('writes into the infrastructure cluster', async () => {
    const desired = await outcomeOf({
      patches: [inline(of.infrastructureCluster, [add('/spec/template/spec/foo', 1)])],
    });
    expect(specOf.infrastructureCluster(desired)).toEqual({ region: 'r1', foo: 1 });
  });

  it('passes over a template in another version', async () => {
    const selector = { ...of.infrastructureCluster, apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' };
    const { outcome, desired } = await patched({ patches: [inline(selector, [add('/spec/template/spec/foo', 1)])] });
    expect(outcome).toEqual({ ok: true, value: desired });
  });

  it('distinguishes control plane and control plane machines by kind', async () => {
    const desired = await outcomeOf({
      patches: [inline(of.controlPlaneMachines, [add('/spec/template/spec/foo', 1)])],
    });
    expect(specOf.controlPlaneMachines(desired)).toEqual({ size: 'large', foo: 1 });
    expect(specOf.controlPlane(desired)).not.toHaveProperty('foo');
    expect(specOf.machines(desired)).toEqual({ size: 'small' });
  });

  it('patches MachineDeployments of the classes that match only', async () => {
    const machineDeployments = [
      { name: 'one', class: 'a-worker' },
      { name: 'two', class: 'b' },
    ];
    const desired = await outcomeOf({
      machineDeployments,
      patches: [inline(of.machines('*-worker'), [add('/spec/template/spec/foo', 1)])],
    });
    expect(specOf.machines(desired, 'one')).toEqual({ size: 'small', foo: 1 });
    expect(specOf.machines(desired, 'two')).toEqual({ size: 'small' });
  });

  it('shows an override to the templates of that MachineDeployment only', async () => {
    const patches = [
      inline(of.machines('*'), [variable('v')]),
      inline(of.bootstrap('*'), [variable('v')], { name: 'b' }),
      inline(of.infrastructureCluster, [variable('v')], { name: 'i' }),
    ];
    const machineDeployments = [{ name: 'one', overrides: { v: 'own' } }, { name: 'two' }];
    const desired = await outcomeOf({ patches, machineDeployments, variables: { v: 'all' } });
    expect(specOf.machines(desired, 'one')).toHaveProperty('foo', 'own');
    expect(specOf.bootstrap(desired, 'one')).toHaveProperty('foo', 'own');
    expect(specOf.machines(desired, 'two')).toHaveProperty('foo', 'all');
    expect(specOf.infrastructureCluster(desired)).toHaveProperty('foo', 'all');
  });

  it('replaces the whole value by an override', async () => {
    const desired = await outcomeOf({
      patches: [inline(of.machines('*'), [variable('v')])],
      variables: { v: { a: 1, b: 2 } },
      machineDeployments: [{ name: 'md1', overrides: { v: { a: 3 } } }],
    });
    expect(specOf.machines(desired)).toHaveProperty('foo', { a: 3 });
  });

  it('reads items of lists, and fails at an index that is not there', async () => {
    const options = { variables: { list: [{ name: 'first' }, { name: 'second' }] } };
    const desired = await outcomeOf({
      ...options,
      patches: [inline(of.infrastructureCluster, [variable('list[1].name')])],
    });
    expect(specOf.infrastructureCluster(desired)).toHaveProperty('foo', 'second');
    expect(
      await problemOf({ ...options, patches: [inline(of.infrastructureCluster, [variable('list[2].name')])] }),
    ).toContain('failed to calculate value: variable "list[2].name" is invalid: array does not have index 2');
  });

  it('fails at a variable without a value', async () => {
    expect(await problemOf({ patches: [inline(of.infrastructureCluster, [variable('v')])] })).toBe(
      'failed to generate patches for patch "p": failed to generate JSON patches for "GenericInfrastructureClusterTemplate": ' +
        'failed to calculate value: variable "v" does not exist',
    );
  });

  it.each([
    { text: '{{ .v }}', foo: 1.3, reason: 'a number where the output is one' },
    { text: '"{{ .v }}"', foo: '1.30', reason: 'a text where it is quoted' },
  ])('writes $reason', async ({ text, foo }) => {
    const desired = await outcomeOf({
      variables: { v: '1.30' },
      patches: [inline(of.infrastructureCluster, [template(text)])],
    });
    expect(specOf.infrastructureCluster(desired)).toHaveProperty('foo', foo);
  });

  it('skips a patch whose condition renders to nothing', async () => {
    const patch = inline(of.infrastructureCluster, [add('/spec/template/spec/foo', 1)], {
      enabledIf: '{{ if .proxy }}true{{ end }}',
    });
    expect(specOf.infrastructureCluster(await outcomeOf({ patches: [patch] }))).toEqual({ region: 'r1' });
    const enabled = await outcomeOf({ patches: [patch], variables: { proxy: 'http://proxy' } });
    expect(specOf.infrastructureCluster(enabled)).toHaveProperty('foo', 1);
  });

  it.each([
    { variables: { flag: true }, isEnabled: true },
    { variables: { flag: false }, isEnabled: false },
    { variables: {}, isEnabled: false },
  ])('enables by a flag: $variables', async ({ variables, isEnabled }) => {
    const patch = inline(of.infrastructureCluster, [add('/spec/template/spec/foo', 1)], { enabledIf: '{{ .flag }}' });
    const desired = await outcomeOf({ patches: [patch], variables });
    expect(at(desired, 'infrastructureCluster.spec.foo')).toBe(isEnabled ? 1 : undefined);
  });

  it('fails at a function that templates do not have', async () => {
    const patch = inline(of.infrastructureCluster, [add('/spec/template/spec/foo', 1)], {
      enabledIf: '{{ toYaml . }}',
    });
    expect(await problemOf({ patches: [patch] })).toBe(
      'failed to generate patches for patch "p": failed to calculate if patch is enabled for "GenericInfrastructureClusterTemplate": ' +
        'failed to calculate value for enabledIf: failed to parse template: "{{ toYaml . }}": template: tpl:1: function "toYaml" not defined',
    );
  });

  it('renders the version of a MachineDeployment', async () => {
    const desired = await outcomeOf({
      patches: [inline(of.machines('*'), [template('{{ .builtin.machineDeployment.version | replace "+" "_" }}')])],
      machineDeployments: [{ name: 'md1', version: 'v1.31.0+x' }],
    });
    expect(specOf.machines(desired)).toHaveProperty('foo', 'v1.31.0_x');
  });

  it('fails to render it for the control plane', async () => {
    const patch = inline(of.controlPlane, [template('{{ .builtin.machineDeployment.version | replace "+" "_" }}')]);
    expect(await problemOf({ patches: [patch] })).toMatch(
      /^failed to generate patches for patch "p": failed to generate JSON patches for "KubeadmControlPlaneTemplate": failed to calculate value for template: failed to render template: ".*": template: tpl:1:.*invalid value; expected string/,
    );
  });

  it('compares versions', async () => {
    const desired = await outcomeOf({
      patches: [inline(of.controlPlane, [template('{{ semverCompare "< v1.25-0" .builtin.controlPlane.version }}')])],
      version: 'v1.24.3',
    });
    expect(specOf.controlPlane(desired)).toHaveProperty('foo', true);
  });

  it('creates no parents', async () => {
    expect(await problemOf({ patches: [inline(of.infrastructureCluster, [add('/spec/template/spec/a/b', 1)])] })).toBe(
      'failed to apply patches for patch "p": failed to apply patch: error applying json patch (RFC6902): ' +
        'add operation does not apply: doc is missing path: "/spec/template/spec/a/b": missing value ' +
        '(definitions[0].jsonPatches[0], GenericInfrastructureClusterTemplate of Cluster ns1/c1)',
    );
  });

  it('appends in the order of patches', async () => {
    const append = (name: string) => inline(of.bootstrap('*'), [add('/spec/template/spec/commands/-', name)], { name });
    const desired = await outcomeOf({ patches: [append('first'), append('second')] });
    expect(specOf.bootstrap(desired)).toEqual({ commands: ['join', 'first', 'second'] });
  });

  it('keeps the version that the topology computes', async () => {
    const desired = await outcomeOf({
      patches: [inline(of.controlPlane, [add('/spec/template/spec/version', 'v9.9.9')])],
    });
    expect(specOf.controlPlane(desired)).toHaveProperty('version', 'v1.31.0');
  });

  it('lets a patch set replicas where the topology sets none', async () => {
    const patches = [inline(of.controlPlane, [add('/spec/template/spec/replicas', 7)])];
    expect(specOf.controlPlane(await outcomeOf({ patches, topology: { controlPlane: {} } }))).toHaveProperty(
      'replicas',
      7,
    );
    expect(specOf.controlPlane(await outcomeOf({ patches }))).toHaveProperty('replicas', 3);
  });

  it('restores the labels of the topology, and keeps others', async () => {
    const desired = await outcomeOf({
      patches: [
        inline(of.controlPlane, [
          add('/spec/template/metadata/labels/cluster.x-k8s.io~1cluster-name', 'other'),
          add('/spec/template/metadata/labels/mine', 'yes'),
        ]),
      ],
    });
    expect(at(desired, 'controlPlane.object.metadata.labels')).toEqual({
      'cluster.x-k8s.io/cluster-name': 'c1',
      'topology.cluster.x-k8s.io/owned': '',
      mine: 'yes',
    });
  });

  it('gives the infrastructure cluster the labels of its patched template', async () => {
    const desired = await outcomeOf({
      patches: [inline(of.infrastructureCluster, [add('/spec/template/metadata/labels/x', 'y')])],
    });
    expect(desired.infrastructureCluster.metadata.labels).toHaveProperty('x', 'y');
  });

  it('shows a MachineDeployment the version that it has', async () => {
    const desired = await outcomeOf({
      patches: [inline(of.machines('*'), [variable('builtin.machineDeployment.version')])],
      machineDeployments: [
        { name: 'pending', version: 'v1.30.0' },
        { name: 'done', version: 'v1.31.0' },
      ],
    });
    expect(specOf.machines(desired, 'pending')).toHaveProperty('foo', 'v1.30.0');
    expect(specOf.machines(desired, 'done')).toHaveProperty('foo', 'v1.31.0');
  });

  it('changes only labels where a patch does not', async () => {
    const { outcome, desired } = await patched({
      patches: [inline(of.machines('*'), [add('/spec/template/metadata', { labels: { a: 'b' } })])],
    });
    const before = found(desired.machineDeployments.get('md1')).infrastructureTemplate;
    const after = outcome.ok ? found(outcome.value.machineDeployments.get('md1')).infrastructureTemplate : undefined;
    expect(after).toEqual({
      ...before,
      spec: { template: { metadata: { labels: { a: 'b' } }, spec: at(before, 'spec.template.spec') } },
    });
  });

  it('changes the template of exactly the MachineDeployment whose variable changed', async () => {
    const patches = [inline(of.machines('*'), [variable('size')])];
    const run = (size: string) =>
      outcomeOf({
        patches,
        variables: { size: 's' },
        machineDeployments: [{ name: 'one', overrides: { size } }, { name: 'two' }],
      });
    const before = await run('m');
    const after = await run('l');
    expect(specOf.machines(before, 'one')).not.toEqual(specOf.machines(after, 'one'));
    expect(specOf.bootstrap(before, 'one')).toEqual(specOf.bootstrap(after, 'one'));
    expect(before.machineDeployments.get('two')).toEqual(after.machineDeployments.get('two'));
  });

  it('gives two MachineDeployments of one class a copy each', async () => {
    const desired = await outcomeOf({
      patches: [
        inline(of.bootstrap('*'), [
          addFrom('/spec/template/spec/commands/-', { variable: 'builtin.machineDeployment.topologyName' }),
        ]),
      ],
      machineDeployments: [{ name: 'one' }, { name: 'two' }],
    });
    expect(specOf.bootstrap(desired, 'one')).toEqual({ commands: ['join', 'one'] });
    expect(specOf.bootstrap(desired, 'two')).toEqual({ commands: ['join', 'two'] });
  });
});
