// One hostile object in a batch of ten. It gets its own error, and the other nine objects are reconciled in the same
// invocation.

import { WorkMeter } from '@capi-serverless/apimachinery';
import { workOfPass, workOfReconcile } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { toBody } from '../../../shared/workqueue/message.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { aReconciler, aRecordingLog, aWidget, widgetCrd } from '../../support/kernel.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import { fieldsOf } from '../../support/object-builder.ts';
import { aTopologyCluster } from '../../support/topology-objects.ts';
import { aReadyClass, topologyPass } from '../../support/topology-pass.ts';

const names = Array.from({ length: 10 }, (_, at) => `w${at}`);

function messageOf(name: string) {
  const key = { managementCluster: 'mc', group: 'conformance.example.com', kind: 'Widget', namespace: 'ns', name };
  return { messageId: name, body: toBody({ v: 1, reconciler: 'widget', key, cause: 'event', attempt: 0, trace: 't' }) };
}

it('gives each object of a batch a meter of its own', async () => {
  const api = createMemoryApi({ crds: [widgetCrd] });
  api.given(...names.map(name => aWidget({ metadata: { name } })));
  const [log, settled]: [ReturnType<typeof aRecordingLog>, string[]] = [aRecordingLog(), []];
  const failed = await reconcileBatch(
    {
      ...aBatchContext(api),
      reconciler: aReconciler({
        observe: async (primary, _ask, { number, meter }) => {
          const isHostile = primary.metadata.name === 'w3';
          meter?.charge(isHostile ? workOfPass.units + 1 : workOfPass.units);
          settled.push(primary.metadata.name);
          return { primary, pass: number };
        },
      }),
      ports: {},
      log,
    },
    names.map(messageOf),
  );
  expect(failed).toEqual([]);
  expect(settled.sort()).toEqual(names.filter(name => name !== 'w3'));
  const errors = log.lines.filter(({ level }) => level === 'error');
  expect(errors.map(({ name, error }) => [name, error])).toEqual([
    ['w3', expect.stringContaining(`limit exceeded: ${workOfPass.what}`)],
  ]);
});

it('gives a function with less memory less work, as its processor is slower', async () => {
  const api = createMemoryApi({ crds: [widgetCrd] });
  api.given(aWidget({ metadata: { name: 'w0' } }));
  const left: (number | undefined)[] = [];
  await reconcileBatch(
    {
      ...aBatchContext(api),
      workShare: 0.5,
      reconciler: aReconciler({
        observe: async (primary, _ask, { number, meter }) => {
          left.push(meter?.left);
          return { primary, pass: number };
        },
      }),
      ports: {},
    },
    [messageOf('w0')],
  );
  expect(left[0]).toBe(workOfPass.units / 2);
});

it('starts another pass only with the work of a whole pass', () => {
  const meter = new WorkMeter(workOfReconcile);
  meter.part(workOfPass).charge(workOfReconcile.units - workOfPass.units);
  expect(meter.left).toBe(workOfPass.units);
});

it('names the limit in the condition of a topology with hostile patches', async () => {
  const loop = '{{ range 1000000 }}{{ end }}';
  const jsonPatches = Array.from({ length: 10 }, (_, at) => ({
    op: 'add',
    path: '/spec/template/spec/x',
    valueFrom: { template: `${loop}${at}` },
  }));
  const { kind, apiVersion } = {
    kind: 'GenericInfrastructureClusterTemplate',
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  };
  const selector = { kind, apiVersion, matchResources: { infrastructureCluster: true } };
  const clusterClass = aReadyClass({ spec: { patches: [{ name: 'p1', definitions: [{ selector, jsonPatches }] }] } });
  const { report } = await topologyPass({ cluster: aTopologyCluster(), clusterClass });
  const conditions: unknown = fieldsOf(report.status?.status)['conditions'];
  const all = Array.isArray(conditions) ? conditions : [];
  expect(all.find(({ type }) => type === 'TopologyReconciled')).toMatchObject({
    status: 'False',
    message: expect.stringMatching(
      /patch "p1".*limit exceeded: .* take more than 250000000 units of work: use fewer or smaller.*definitions\[0\]\.jsonPatches\[3\]/,
    ),
  });
});
