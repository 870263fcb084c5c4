// Changes of existing objects: their fields, and templates that are replaced.

import { type Intent, valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { toActions } from '../../../../../../functions/topology/plan/changes/ordered-changes.ts';
import { replacesAnnotation } from '../../../../../../shared/topology/model/keys.ts';
import { fieldsOf } from '../../../../../support/object-builder.ts';
import {
  bigger,
  blueprint,
  changed,
  clusterPatch,
  controlPlane,
  cpMachine,
  cpTemplate,
  current,
  desired,
  infra,
  md,
  mdInfra,
  mdOf,
  planWith,
  play,
  withCp,
  withMd,
} from '../../../../../support/planned-changes.ts';
import { settledNames, settledVersions } from '../../../../../support/settled-topology.ts';
import {
  applied,
  appliedBy,
  aTryingServer,
  objectsOf,
  overlayWrites,
} from '../../../../../support/topology-changes.ts';
import { settled } from '../../../../../support/topology-objects.ts';

const annotationsOf = ({ metadata }: Pick<Intent, 'metadata'>) => metadata.annotations ?? {};

const replacing = (template: Intent, name: string): Intent =>
  changed(template, 'metadata.annotations', { ...annotationsOf(template), [replacesAnnotation]: name });

const refOfControlPlane = 'spec.machineTemplate.spec.infrastructureRef.name';

describe('an object', () => {
  it('gets a value back that another manager has changed', async () => {
    const object = desired.infrastructureCluster;
    const infrastructureCluster = applied(object, { spec: { region: 'r2' } });
    const { lines, dryRuns, actions, events } = await play({
      input: { current: { ...current, infrastructureCluster } },
    });
    expect(lines).toEqual([`apply ${infra}`]);
    expect(dryRuns).toEqual([infra, infra]);
    expect(valueAt(appliedBy(actions, `apply ${infra}`)['spec'], 'region')).toBe('r1');
    expect(events).toEqual([
      `TopologyUpdate Updated GenericInfrastructureCluster "ns1/${settled.infrastructureCluster}"`,
    ]);
  });

  it('keeps fields of other writers', async () => {
    const infrastructureCluster = applied(desired.infrastructureCluster, { spec: { zone: 'z' } });
    expect(await play({ input: { current: { ...current, infrastructureCluster } } })).toMatchObject({
      lines: [],
      dryRuns: [],
    });
  });

  it('loses the fields that the class no longer sets', async () => {
    const was = changed(desired.infrastructureCluster, 'spec.zone', 'z');
    const { lines, actions } = await play({ input: { current: { ...current, infrastructureCluster: applied(was) } } });
    expect(lines).toEqual([`apply ${infra}`]);
    expect(fieldsOf(appliedBy(actions, `apply ${infra}`)['spec'])).toEqual({ region: 'r1' });
  });

  it('never becomes another kind', async () => {
    const infrastructureCluster = { ...desired.infrastructureCluster, kind: 'OtherCluster' };
    const { lines, failure, patchesCluster } = await play({
      input: { desired: { ...desired, infrastructureCluster } },
    });
    expect(lines).toEqual([]);
    expect(patchesCluster).toBe(false);
    expect(failure).toBe(
      'metadata.kind: Forbidden: apiVersion.kind of GenericInfrastructureCluster.infrastructure.cluster.x-k8s.io/' +
        `${settled.infrastructureCluster} cannot be changed from "GenericInfrastructureCluster" to "OtherCluster" to prevent ` +
        'incompatible changes in the Cluster',
    );
  });

  it('never sends an empty endpoint', async () => {
    const endpoint = { host: '', port: 0 };
    const infrastructureCluster = changed(desired.infrastructureCluster, 'spec.controlPlaneEndpoint', endpoint);
    expect((await play({ input: { desired: { ...desired, infrastructureCluster } } })).lines).toEqual([]);
  });

  it('is written with the uid that was read, so that no object is created again', async () => {
    const object = changed(desired.controlPlane.object, 'spec.replicas', 5);
    const { actions } = await play({ input: { desired: withCp({ object }) } });
    expect(actions.find(({ id }) => id === `apply ${controlPlane}`)).toMatchObject({
      uid: current.controlPlane.object?.metadata.uid,
    });
  });

  it('reports its old and new version', async () => {
    const wanted = withMd({ object: changed(mdOf(desired).object, 'spec.template.spec.version', 'v1.32.0') });
    const object = changed(desired.controlPlane.object, 'spec.version', 'v1.32.0');
    const { events } = await play({
      input: { desired: { ...wanted, controlPlane: { ...desired.controlPlane, object } } },
    });
    expect(events).toEqual([
      `TopologyUpdate Updated KubeadmControlPlane "ns1/${settled.controlPlane}" with version change from v1.31.0 to v1.32.0`,
      `TopologyUpdate Updated MachineDeployment "ns1/${settled.md1.object}" with version change from v1.31.0 to v1.32.0`,
    ]);
  });
});

describe('a template', () => {
  it('whose labels change is patched in place', async () => {
    const infrastructureTemplate = changed(mdOf(desired).infrastructureTemplate, 'metadata.labels.new', '1');
    const { lines, events, dryRuns } = await play({ input: { desired: withMd({ infrastructureTemplate }) } });
    expect(lines).toEqual([`apply ${mdInfra}`]);
    expect(dryRuns).toEqual([mdInfra, mdInfra]);
    expect(events).toEqual([
      `TopologyUpdate Updated GenericInfrastructureMachineTemplate "ns1/${settled.md1.infrastructure}" (metadata changes)`,
    ]);
  });

  it('of control plane machines whose spec changes gets a successor, and is deleted once unreferenced', async () => {
    const { lines, actions, events } = await play({
      input: { desired: withCp({ machineTemplate: bigger(cpMachine) }) },
    });
    const [made = ''] = lines;
    const name = made.split(' ').at(-1);
    expect(made).toMatch(/^apply GenericInfrastructureMachineTemplate c1-[a-z0-9]{5}$/);
    expect(lines).toEqual([
      made,
      `apply ${controlPlane}`,
      `delete ${cpTemplate}`,
      `unmark GenericInfrastructureMachineTemplate ${name}`,
    ]);
    expect(valueAt(appliedBy(actions, `apply ${controlPlane}`), refOfControlPlane)).toBe(name);
    expect(annotationsOf(appliedBy(actions, made))[replacesAnnotation]).toBe(settled.controlPlaneMachineTemplate);
    expect(actions.find(({ id }) => id === `unmark GenericInfrastructureMachineTemplate ${name}`)).toMatchObject({
      body: { metadata: { annotations: { [replacesAnnotation]: null } } },
    });
    expect(events[0]).toBe(
      `TopologyCreate Created GenericInfrastructureMachineTemplate "ns1/${name}" as a replacement for ` +
        `"${settled.controlPlaneMachineTemplate}" (template rotation)`,
    );
  });

  it('of a MachineDeployment whose spec changes gets a successor, and stays', async () => {
    const infrastructureTemplate = bigger(mdOf(desired).infrastructureTemplate);
    const { lines, actions } = await play({ input: { desired: withMd({ infrastructureTemplate }) } });
    const [made = ''] = lines;
    expect(made).toMatch(/^apply GenericInfrastructureMachineTemplate c1-md1-[a-z0-9]{5}$/);
    expect(lines).toEqual([made, `apply ${md}`]);
    const spec = valueAt(appliedBy(actions, `apply ${md}`), 'spec.template.spec');
    expect(valueAt(spec, 'infrastructureRef.name')).toBe(made.split(' ').at(-1));
    expect(valueAt(spec, 'bootstrap.configRef.name')).toBe(settled.md1.bootstrap);
  });

  it('that no object references is deleted, and the old one stays', async () => {
    const failing = { [`apply ${controlPlane}`]: 'Forbidden' } as const;
    const { lines, failure } = await play({
      input: { desired: withCp({ machineTemplate: bigger(cpMachine) }) },
      failing,
    });
    const [made = ''] = lines;
    expect(lines).toEqual([made, `apply ${controlPlane}`, `take back ${made}`]);
    expect(failure).toBe(`failed to patch KubeadmControlPlane ns1/${settled.controlPlane}: no luck`);
  });

  it('that could not be deleted is reported', async () => {
    const failing = { [`delete ${cpTemplate}`]: 'Forbidden' } as const;
    const { failure, lines } = await play({
      input: { desired: withCp({ machineTemplate: bigger(cpMachine) }) },
      failing,
    });
    expect(lines).toHaveLength(3);
    expect(failure).toBe(
      `failed to delete old GenericInfrastructureMachineTemplate ns1/${settled.controlPlaneMachineTemplate} of ` +
        `KubeadmControlPlane ns1/${settled.controlPlane}: no luck`,
    );
  });

  it('of bootstrap may become another kind: it gets a successor without a question', async () => {
    const bootstrapTemplate = { ...mdOf(desired).bootstrapTemplate, kind: 'OtherConfigTemplate' };
    const { lines, dryRuns } = await play({ input: { desired: withMd({ bootstrapTemplate }) } });
    expect(lines[0]).toMatch(/^apply OtherConfigTemplate c1-md1-/);
    expect(lines[1]).toBe(`apply ${md}`);
    expect(dryRuns).not.toContain(`OtherConfigTemplate ${settled.md1.bootstrap}`);
  });

  it('of machines never becomes another kind', async () => {
    const infrastructureTemplate = { ...mdOf(desired).infrastructureTemplate, kind: 'OtherMachineTemplate' };
    const { failure } = await play({ input: { desired: withMd({ infrastructureTemplate }) } });
    expect(failure).toMatch(
      `failed to reconcile MachineDeployment ns1/${settled.md1.object}: metadata.kind: Forbidden: apiVersion.kind of `,
    );
  });

  it('uses the new template of an interrupted pass', async () => {
    const input = { desired: withCp({ machineTemplate: bigger(cpMachine) }) };
    const first = await play({ input });
    const [made = ''] = first.lines;
    const successor = applied(appliedBy(first.actions, made));
    const server = aTryingServer([...objectsOf(current), successor]);
    const whole = { blueprint, current, names: settledNames, versions: settledVersions(), ...input };
    const again = overlayWrites(toActions(await planWith(whole, server.ask), current, clusterPatch));
    const unmark = made.replace('apply', 'unmark');
    expect(again.lines).toEqual([`apply ${controlPlane}`, `delete ${cpTemplate}`, unmark, clusterPatch.id]);
  });

  describe('of control plane machines that still names the one that it replaced', () => {
    const machineTemplate = applied(replacing(cpMachine, 'c1-older'));
    const before = { ...current, controlPlane: { ...current.controlPlane, machineTemplate } };
    const older = applied(changed(cpMachine, 'metadata.name', 'c1-older'));
    const olderTemplate = 'GenericInfrastructureMachineTemplate c1-older';

    it('deletes it as well, and removes the annotation', async () => {
      const { lines } = await play({ input: { current: before }, others: [older] });
      expect(lines).toEqual([`delete ${olderTemplate}`, `apply ${cpTemplate}`]);
    });

    it('ignores it when it does not exist', async () => {
      expect((await play({ input: { current: before } })).lines).toEqual([`apply ${cpTemplate}`]);
    });

    it('does not change objects of other Clusters', async () => {
      const foreign = changed(older, 'metadata.labels', { 'cluster.x-k8s.io/cluster-name': 'c1' });
      const others = [foreign];
      expect((await play({ input: { current: before }, others })).lines).toEqual([`apply ${cpTemplate}`]);
    });

    it('waits while it cannot be read', async () => {
      const faults = [{ at: 'get GenericInfrastructureMachineTemplate ns1/c1-older', message: 'no luck' }];
      const { lines, failure } = await play({ input: { current: before }, faults });
      expect(lines).toEqual([]);
      expect(failure).toBe('failed to retrieve GenericInfrastructureMachineTemplate ns1/c1-older: no luck');
    });

    it('reports that it could not be deleted', async () => {
      const failing = { [`delete ${olderTemplate}`]: 'Forbidden' } as const;
      const { failure } = await play({ input: { current: before }, others: [older], failing });
      expect(failure).toBe('failed to delete old GenericInfrastructureMachineTemplate ns1/c1-older: no luck');
    });
  });

  it('that another pass may use in the meantime is not deleted', async () => {
    const failing = { [`apply ${controlPlane}`]: 'TooManyRequests' } as const;
    const { lines } = await play({ input: { desired: withCp({ machineTemplate: bigger(cpMachine) }) }, failing });
    expect(lines).toHaveLength(2);
  });

  it('that could not be unmarked is reported', async () => {
    const wanted = { desired: withCp({ machineTemplate: bigger(cpMachine) }) };
    const [made = ''] = (await play({ input: wanted })).lines;
    const unmark = made.replace('apply', 'unmark');
    const { failure } = await play({ input: wanted, failing: { [unmark]: 'Forbidden' } });
    expect(failure).toBe(`failed to patch ${unmark.replace('unmark ', '').replace(' ', ' ns1/')}: no luck`);
  });

  it('cannot get a successor while its name cannot be looked up', async () => {
    const wanted = { desired: withMd({ infrastructureTemplate: bigger(mdOf(desired).infrastructureTemplate) }) };
    const [made = ''] = (await play({ input: wanted })).lines;
    const faults = [{ at: made.replace('apply', 'get').replace(/ (c1-\S+)$/, ' ns1/$1'), message: 'no luck' }];
    const { failure, lines } = await play({ input: wanted, faults });
    expect(lines).toEqual([]);
    expect(failure).toMatch(
      /^failed to reconcile MachineDeployment .*: failed to look up GenericInfrastructureMachineTemplate ns1\/c1-md1-/,
    );
  });
});
