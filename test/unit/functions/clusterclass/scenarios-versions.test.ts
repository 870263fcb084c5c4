// Scenarios of the ClusterClass's behaviour: the versions in template references.
import { describe, expect, it } from 'vitest';
import { aClusterClass, aPlainClusterClass, templates } from '../../../support/cluster-class.ts';
import { aWorld, type ClusterClassWorld, type ClusterClassWorldOptions } from './reconciled-class.ts';
import { aTemplateKind, dockerTemplate, group, notFound, stateOf, status, unknown } from './referenced-templates.ts';

/**
 * Returns a class whose control plane Machines have a template in this version. The kind of the template has these
 * labels.
 */
async function versioned(
  version: string,
  labels: Readonly<Record<string, string>>,
  more: ClusterClassWorldOptions = {},
) {
  const docker = dockerTemplate(version);
  const world = aWorld(aPlainClusterClass().withControlPlaneMachines(docker), {
    crds: [aTemplateKind('DockerMachineTemplate', ['v1beta1', 'v1beta2', 'v1'], labels)],
    templates: [...Object.values(templates), docker],
    ...more,
  });
  return world.settle();
}

describe('the versions in which templates are named', () => {
  const outdated = (...lines: readonly string[]): string =>
    ['The following templateRefs are not using the latest apiVersion:', ...lines].join('\n');

  it('an older one than the greatest of the contract is listed, and the generation counts as observed', async () => {
    const reconciled = await versioned('v1beta1', { 'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2' });
    const message = outdated('* DockerMachineTemplate t: current: v1beta1, latest: v1beta2');
    expect(stateOf(reconciled)).toEqual({
      result: 'done',
      refs: `False/RefVersionsNotUpToDate ${message}`,
      variables: 'True/VariablesReady',
      observed: 1,
    });
    expect(reconciled.v1beta1('RefVersionsUpToDate')).toBe(`False/Warning/OutdatedRefVersions ${message}`);
    expect(reconciled.writes).toHaveLength(5);
  });

  it('all of them are listed, the control plane first', async () => {
    const machine = dockerTemplate('v1beta1', 'cp');
    const worker = { bootstrap: templates.workerBootstrap, infrastructure: dockerTemplate('v1beta1', 'md') };
    const clusterClass = aPlainClusterClass().withControlPlaneMachines(machine).withMachineDeployments({ a: worker });
    const reconciled = await aWorld(clusterClass, {
      crds: [aTemplateKind('DockerMachineTemplate', ['v1beta1'], { 'cluster.x-k8s.io/v1beta2': 'v1beta2' })],
      templates: [...Object.values(templates), machine, worker.infrastructure],
    }).settle();
    const lines = ['cp', 'md'].map(name => `* DockerMachineTemplate ${name}: current: v1beta1, latest: v1beta2`);
    expect(reconciled.condition('RefVersionsUpToDate')).toBe(`False/RefVersionsNotUpToDate ${outdated(...lines)}`);
    expect(reconciled.writes).toContain('patch DockerMachineTemplate ns/md');
    expect(reconciled.result).toBe('done');
  });

  it.each([
    {
      reason: 'the older contract counts where the newer has no label',
      labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha3_v1beta1' },
      version: 'v1beta1',
      refs: 'True/RefVersionsUpToDate',
    },
    {
      reason: 'a stable version is greater than any beta',
      labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2_v1' },
      version: 'v1beta2',
      refs: `False/RefVersionsNotUpToDate ${outdated('* DockerMachineTemplate t: current: v1beta2, latest: v1')}`,
    },
    {
      reason: 'a newer version than the contract’s is listed too',
      labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta1' },
      version: 'v1',
      refs: `False/RefVersionsNotUpToDate ${outdated('* DockerMachineTemplate t: current: v1, latest: v1beta1')}`,
    },
    {
      reason: 'an empty label is none',
      labels: { 'cluster.x-k8s.io/v1beta2': '', 'cluster.x-k8s.io/v1beta1': 'v1beta1' },
      version: 'v1beta1',
      refs: 'True/RefVersionsUpToDate',
    },
  ])('$reason', async ({ labels, version, refs }) => {
    const reconciled = await versioned(version, labels);
    expect(stateOf(reconciled)).toEqual({ result: 'done', refs, variables: 'True/VariablesReady', observed: 1 });
    expect(reconciled.writes).toHaveLength(5);
  });

  it('are unknown without a contract label', async () => {
    const reconciled = await versioned('v1', {});
    expect(stateOf(reconciled)).toEqual({
      ...unknown,
      result:
        'failed to update apiVersion in ref: cannot find any versions matching contract versions ["v1beta2" "v1beta1"] for CRD dockermachinetemplates.infrastructure.cluster.x-k8s.io as contract version label(s) are either missing or empty (see https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview.html#api-version-labels)',
      observed: undefined,
    });
    expect(reconciled.writes).toContain('patch DockerMachineTemplate ns/t');
  });

  it('are unknown without the definition, which is read once for all templates of a kind', async () => {
    const world = aWorld(aClusterClass());
    world.api.calls.fail({
      at: ({ verb, of }) => verb === 'metadata' && 'name' in of && of.name === `simulatedmachinetemplates.${group}`,
      failure: { reason: 'Forbidden', message: 'not for you' },
      times: 1,
    });
    const reconciled = await world.settle();
    expect(reconciled.result).toBe(
      'failed to update apiVersion in ref: failed to get CustomResourceDefinition metadata: not for you',
    );
    expect(reconciled.condition('RefVersionsUpToDate')).toBe(unknown.refs);
  });

  it('are unknown if one template is missing, even if others are outdated', async () => {
    const reconciled = await versioned(
      'v1beta1',
      { 'cluster.x-k8s.io/v1beta2': 'v1beta2' },
      { templates: [templates.controlPlane, dockerTemplate('v1beta1')] },
    );
    expect(stateOf(reconciled)).toEqual({
      ...unknown,
      result: notFound('SimulatedClusterTemplate', 'simulatedclustertemplates', 'infra'),
      observed: undefined,
    });
    expect(reconciled.writes).toContain('patch DockerMachineTemplate ns/t');
  });

  it('are up to date again once the labels are restored', async () => {
    const docker = dockerTemplate('v1beta1');
    const crd = aTemplateKind('DockerMachineTemplate', ['v1beta1', 'v1beta2'], {
      'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2',
    });
    const world: ClusterClassWorld = aWorld(aPlainClusterClass().withControlPlaneMachines(docker), {
      crds: [crd],
      templates: [...Object.values(templates), docker],
    });
    await world.settle();
    const definition = { apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name };
    await world.change({ metadata: { labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta1' } } }, definition);
    const reconciled = await world.settle();
    expect(reconciled.writes).toEqual([status]);
    expect(reconciled.condition('RefVersionsUpToDate')).toBe('True/RefVersionsUpToDate');
    expect(reconciled.v1beta1('RefVersionsUpToDate')).toBe('True');
  });
});
