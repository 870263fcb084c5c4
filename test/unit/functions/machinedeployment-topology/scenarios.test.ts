import { describe, expect, it } from 'vitest';
import { machineDeploymentTopologyFinalizer as finalizer } from '../../../../functions/machinedeployment-topology/companion.ts';
import {
  machineDeploymentTopologyDeclaration,
  machineDeploymentTopologyReconciler as reconciler,
} from '../../../../functions/machinedeployment-topology/reconciler.ts';
import { toRef } from '../../../../shared/api/object.ts';
import { aCluster, aMachineDeployment } from '../../../support/builders.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { type Built, built, ObjectBuilder } from '../../../support/object-builder.ts';
import { resultText } from '../../../support/told.ts';
import { anOwnedDeployment, anOwnedSet, invoke, owned, templatesNamed } from '../../../support/topology-workers.ts';

const md = anOwnedDeployment();
const held = md.withFinalizers(finalizer);
const deleting = held.deleting();
const holding = 'someone.example.com/holding';

function aHealthCheck(name: string): ObjectBuilder {
  const check = new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineHealthCheck', name });
  return check.labelled(owned).withSpec({ clusterName: 'c1', selector: { matchLabels: owned } });
}

async function run(objects: readonly Built[], of: Built = deleting) {
  const api = createMemoryApi();
  api.given(...objects);
  const { result } = await invoke(reconciler, api, of);
  return { api, result: resultText(result), writes: api.calls.writes, of: api.find(toRef(built(of))) };
}

describe('a MachineDeployment of a topology', () => {
  it('is held before anything else happens to it', async () => {
    const { api, writes, result } = await run([md], md);
    expect(writes).toHaveLength(1);
    expect(api.read(toRef(md.build())).metadata.finalizers).toEqual([finalizer]);
    expect(result).toBe('done');
  });

  it('keeps the finalizers of others', async () => {
    const { of } = await run([md.withFinalizers(holding)], md);
    expect(of?.metadata.finalizers).toEqual([holding, finalizer]);
  });

  it.each([
    { of: held, objects: [aCluster(), held], reason: 'held and alive' },
    { of: md.labelled({}), objects: [], reason: 'gone' },
    {
      of: anOwnedDeployment().withFinalizers(holding).deleting(),
      objects: [aCluster(), anOwnedDeployment().withFinalizers(holding).deleting()],
      reason: 'being deleted, and somebody else holds it',
    },
    { of: deleting, objects: [aCluster().paused(), deleting], reason: 'its Cluster is paused' },
    {
      of: deleting,
      objects: [aCluster(), deleting.annotated({ 'cluster.x-k8s.io/paused': '' })],
      reason: 'it is paused itself',
    },
  ])('is left alone: $reason', async ({ of, objects }) => {
    const { writes, result } = await run(objects, of);
    expect(writes).toEqual([]);
    expect(result).toBe('done');
  });

  it('is left alone when no topology owns it', async () => {
    const foreign = aMachineDeployment().withFinalizers(finalizer).deleting();
    const { writes } = await run([foreign], foreign);
    expect(writes).toEqual([]);
  });

  it('scenario 70: takes its MachineHealthCheck and its templates along when no MachineSet is left', async () => {
    const { writes, of } = await run([aCluster(), ...templatesNamed('md1', 'md2'), aHealthCheck('md1'), deleting]);
    expect(writes.map(line => line.split(' {')[0])).toEqual([
      'delete SimulatedBootstrapConfigTemplate ns/md1-boot',
      'delete SimulatedMachineTemplate ns/md1-infra',
      'delete MachineHealthCheck ns/md1',
      'patch MachineDeployment ns/md1',
    ]);
    expect(of).toBeUndefined();
  });

  it('scenario 14: goes although its templates are gone', async () => {
    const { writes, of, result } = await run([aCluster(), deleting]);
    expect(writes).toHaveLength(1);
    expect(of).toBeUndefined();
    expect(result).toBe('done');
  });

  it('scenario 71: leaves templates that a MachineSet still uses', async () => {
    const set = anOwnedSet('ms1', md, 'md1');
    const { api, writes } = await run([aCluster(), ...templatesNamed('md1'), deleting, set]);
    expect(writes.map(line => line.split(' {')[0])).toEqual(['patch MachineDeployment ns/md1']);
    expect(templatesNamed('md1').map(template => api.find(toRef(template.build())) !== undefined)).toEqual([
      true,
      true,
    ]);
  });

  it.each([
    { set: anOwnedSet('ms1', md, 'md1').withFinalizers(holding).deleting(), reason: 'is being deleted' },
    { set: anOwnedSet('ms1', anOwnedDeployment('md2'), 'md1'), reason: 'belongs to another MachineDeployment' },
  ])('takes templates of a MachineSet that $reason', async ({ set }) => {
    const { writes } = await run([aCluster(), ...templatesNamed('md1'), deleting, set]);
    expect(writes.filter(line => line.startsWith('delete Simulated'))).toHaveLength(2);
  });

  it('goes although its Cluster is gone', async () => {
    const { of } = await run([...templatesNamed('md1'), deleting]);
    expect(of).toBeUndefined();
  });

  it.each([
    {
      at: { verb: 'get', kind: 'Cluster' },
      text: 'failed to get Cluster ns/c1: boom',
      reason: 'whether it is paused',
    },
    {
      at: { verb: 'list', kind: 'MachineSet' },
      text: 'failed to list MachineSets for MachineDeployment ns/md1: boom',
      reason: 'what is in use',
    },
    {
      at: { verb: 'metadata', kind: 'MachineHealthCheck' },
      text: 'failed to get MachineHealthCheck ns/md1: boom',
      reason: 'what goes with it',
    },
    {
      at: { verb: 'metadata', kind: 'CustomResourceDefinition' },
      text: 'failed to get CustomResourceDefinition metadata: boom',
      reason: 'in which version',
    },
    {
      at: { verb: 'delete', kind: 'SimulatedMachineTemplate' },
      text: 'failed to delete SimulatedMachineTemplate ns/md1-infra for MachineDeployment ns/md1: boom',
      reason: 'a template stays',
    },
    {
      at: { verb: 'patch', kind: 'MachineDeployment' },
      text: `failed to remove finalizer ${finalizer} from MachineDeployment ns/md1: boom`,
      reason: 'the last write',
    },
  ])('stays, to be tried again, when it is not clear: $reason', async ({ at, text }) => {
    const api = createMemoryApi();
    api.given(aCluster(), ...templatesNamed('md1'), aHealthCheck('md1'), deleting);
    const failure = { reason: 'InternalError', message: 'boom' } as const;
    api.calls.fail({ at: ({ verb, kind }) => verb === at.verb && kind === at.kind, failure });
    const { result } = await invoke(reconciler, api, deleting);
    expect(resultText(result)).toBe(text);
    expect(api.read(toRef(deleting.build())).metadata.finalizers).toEqual([finalizer]);
    api.calls.reset();
    await invoke(reconciler, api, deleting);
    expect(api.find(toRef(deleting.build()))).toBeUndefined();
  });

  it('tells when it could not be held', async () => {
    const api = createMemoryApi();
    api.given(md);
    const failure = { reason: 'Forbidden', message: 'no' } as const;
    api.calls.fail({ at: ({ verb }) => verb === 'patch', failure });
    const { result } = await invoke(reconciler, api, md);
    expect(resultText(result)).toBe(`failed to add finalizer ${finalizer} to MachineDeployment ns/md1: no`);
  });
});

describe('what wakes it', () => {
  const [watch] = machineDeploymentTopologyDeclaration.watches;

  it.each([
    { of: md, wakes: [{ namespace: 'ns', name: 'md1' }], reason: 'owned by a topology' },
    { of: md.annotated({ 'cluster.x-k8s.io/paused': '' }), wakes: [], reason: 'paused' },
    { of: new ObjectBuilder(toRef(md.build())), wakes: [], reason: 'of nobody' },
  ])('an event of a MachineDeployment: $reason', ({ of, wakes }) => {
    expect(watch?.map({ type: 'MODIFIED', object: of.build() })).toEqual(wakes);
  });
});
