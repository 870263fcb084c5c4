import { toRef } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { machineDeploymentTopologyDeclaration } from '../../../../functions/machinedeployment-topology/declaration.ts';
import {
  machineDeploymentTopologyFinalizer as finalizer,
  machineDeploymentTopologyReconciler as reconciler,
} from '../../../../functions/machinedeployment-topology/reconciler.ts';
import { aCluster, aMachineDeployment } from '../../../support/builders.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { type Built, built, ObjectBuilder } from '../../../support/object-builder.ts';
import { resultText } from '../../../support/result-text.ts';
import { anOwnedDeployment, anOwnedSet, invoke, owned, templatesNamed } from '../../../support/topology-workers.ts';

const md = anOwnedDeployment();
const finalized = md.withFinalizers(finalizer);
const deleting = finalized.deleting();
const theirs = 'example.com/theirs';

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
  it('gets the finalizer before anything else', async () => {
    const { api, writes, result } = await run([md], md);
    expect(writes).toHaveLength(1);
    expect(api.read(toRef(md.build())).metadata.finalizers).toEqual([finalizer]);
    expect(result).toBe('done');
  });

  it('keeps the finalizers of others', async () => {
    const { of } = await run([md.withFinalizers(theirs)], md);
    expect(of?.metadata.finalizers).toEqual([theirs, finalizer]);
  });

  it.each([
    { of: finalized, objects: [aCluster(), finalized], reason: 'it has the finalizer and is not being deleted' },
    { of: md.labelled({}), objects: [], reason: 'it does not exist' },
    {
      of: anOwnedDeployment().withFinalizers(theirs).deleting(),
      objects: [aCluster(), anOwnedDeployment().withFinalizers(theirs).deleting()],
      reason: 'it is being deleted and has only the finalizer of another controller',
    },
    { of: deleting, objects: [aCluster().paused(), deleting], reason: 'its Cluster is paused' },
    {
      of: deleting,
      objects: [aCluster(), deleting.annotated({ 'cluster.x-k8s.io/paused': '' })],
      reason: 'the MachineDeployment itself is paused',
    },
  ])('gets no write: $reason', async ({ of, objects }) => {
    const { writes, result } = await run(objects, of);
    expect(writes).toEqual([]);
    expect(result).toBe('done');
  });

  it('gets no write when no topology owns it', async () => {
    const foreign = aMachineDeployment().withFinalizers(finalizer).deleting();
    const { writes } = await run([foreign], foreign);
    expect(writes).toEqual([]);
  });

  it('deletes its MachineHealthCheck and its templates when no MachineSet exists', async () => {
    const { writes, of } = await run([aCluster(), ...templatesNamed('md1', 'md2'), aHealthCheck('md1'), deleting]);
    expect(writes.map(line => line.split(' {')[0])).toEqual([
      'delete SimulatedBootstrapConfigTemplate ns/md1-boot',
      'delete SimulatedMachineTemplate ns/md1-infra',
      'delete MachineHealthCheck ns/md1',
      'patch MachineDeployment ns/md1',
    ]);
    expect(of).toBeUndefined();
  });

  it('loses the finalizer although its templates do not exist', async () => {
    const { writes, of, result } = await run([aCluster(), deleting]);
    expect(writes).toHaveLength(1);
    expect(of).toBeUndefined();
    expect(result).toBe('done');
  });

  it('keeps templates that a MachineSet still uses', async () => {
    const set = anOwnedSet('ms1', md, 'md1');
    const { api, writes } = await run([aCluster(), ...templatesNamed('md1'), deleting, set]);
    expect(writes.map(line => line.split(' {')[0])).toEqual(['patch MachineDeployment ns/md1']);
    expect(templatesNamed('md1').map(template => api.find(toRef(template.build())) !== undefined)).toEqual([
      true,
      true,
    ]);
  });

  it.each([
    { set: anOwnedSet('ms1', md, 'md1').withFinalizers(theirs).deleting(), reason: 'is being deleted' },
    { set: anOwnedSet('ms1', anOwnedDeployment('md2'), 'md1'), reason: 'belongs to another MachineDeployment' },
  ])('deletes templates of a MachineSet that $reason', async ({ set }) => {
    const { writes } = await run([aCluster(), ...templatesNamed('md1'), deleting, set]);
    expect(writes.filter(line => line.startsWith('delete Simulated'))).toHaveLength(2);
  });

  it('loses the finalizer although its Cluster does not exist', async () => {
    const { of } = await run([...templatesNamed('md1'), deleting]);
    expect(of).toBeUndefined();
  });

  it.each([
    {
      at: { verb: 'get', kind: 'Cluster' },
      text: 'failed to get Cluster ns/c1: boom',
      reason: 'it is unknown whether it is paused',
    },
    {
      at: { verb: 'list', kind: 'MachineSet' },
      text: 'failed to list MachineSets for MachineDeployment ns/md1: boom',
      reason: 'it is unknown which templates are in use',
    },
    {
      at: { verb: 'metadata', kind: 'MachineHealthCheck' },
      text: 'failed to get MachineHealthCheck ns/md1: boom',
      reason: 'a dependent cannot be read',
    },
    {
      at: { verb: 'metadata', kind: 'CustomResourceDefinition' },
      text: 'failed to get CustomResourceDefinition metadata: boom',
      reason: 'the version of a template is unknown',
    },
    {
      at: { verb: 'delete', kind: 'SimulatedMachineTemplate' },
      text: 'failed to delete SimulatedMachineTemplate ns/md1-infra for MachineDeployment ns/md1: boom',
      reason: 'a template cannot be deleted',
    },
    {
      at: { verb: 'patch', kind: 'MachineDeployment' },
      text: `failed to remove finalizer ${finalizer} from MachineDeployment ns/md1: boom`,
      reason: 'the finalizer cannot be removed',
    },
  ])('keeps the finalizer until a retry succeeds: $reason', async ({ at, text }) => {
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

  it('reports a finalizer that could not be added', async () => {
    const api = createMemoryApi();
    api.given(md);
    const failure = { reason: 'Forbidden', message: 'no' } as const;
    api.calls.fail({ at: ({ verb }) => verb === 'patch', failure });
    const { result } = await invoke(reconciler, api, md);
    expect(resultText(result)).toBe(`failed to add finalizer ${finalizer} to MachineDeployment ns/md1: no`);
  });
});

describe('the watch', () => {
  const [watch] = machineDeploymentTopologyDeclaration.watches;

  it.each([
    { of: md, enqueued: [{ namespace: 'ns', name: 'md1' }], reason: 'enqueues one that a topology owns' },
    { of: md.annotated({ 'cluster.x-k8s.io/paused': '' }), enqueued: [], reason: 'enqueues no paused one' },
    { of: new ObjectBuilder(toRef(md.build())), enqueued: [], reason: 'enqueues none without labels' },
  ])('of MachineDeployments $reason', ({ of, enqueued }) => {
    expect(watch?.map({ type: 'MODIFIED', object: of.build() })).toEqual(enqueued);
  });
});
