import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import type { Action } from '@capi-serverless/reconciler';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type LogFact, logs } from '../../../../shared/diagnostics/channels.ts';
import { createMemoryWorkload } from '../../../../shared/kubernetes/memory/memory-workload.ts';
import { portedHandler } from '../../../../shared/lambda/reconciler-handler.ts';
import type { Runtime } from '../../../../shared/lambda/runtime.ts';
import { messageVersion, toBody } from '../../../../shared/workqueue/message.ts';
import { type FaultServer, reply, startFaultServer } from '../../../support/fault-server.ts';
import { aDeclaration, aReconciler, aWidget, widgetKind } from '../../../support/kernel.ts';
import { aContext, anSqsEvent, anSqsRecord } from '../../../support/lambda-events.ts';
import { countingIds } from '../../../support/memory-api.ts';
import { plainKubeconfig } from '../../../support/workload-kubeconfig.ts';

const target = { uid: 'uid', namespace: 'ns', name: 'c1' };
const nodeRef = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
const cordon: Action = {
  id: 'cordon',
  onError: 'stop',
  do: 'patch',
  ref: nodeRef,
  body: { spec: { unschedulable: true } },
  target,
};

let dir: string;
let management: FaultServer;

beforeEach(async () => {
  management = await startFaultServer((_request, response) =>
    reply(response, 200, aWidget({ metadata: { uid: 'w', resourceVersion: '1' } })),
  );
  dir = mkdtempSync(path.join(tmpdir(), 'capi-handler-'));
  const kubeconfig = path.join(dir, 'kubeconfig');
  writeFileSync(kubeconfig, plainKubeconfig({ server: management.url, ca: management.ca }));
  vi.stubEnv('CAPI_KUBECONFIG', kubeconfig);
  vi.stubEnv('CAPI_MANAGEMENT_CLUSTER', 'mc-1');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await management.close();
  rmSync(dir, { recursive: true });
});

const message = anSqsRecord({
  eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:work-widget.fifo',
  body: toBody({
    v: messageVersion,
    reconciler: 'widget',
    key: { managementCluster: 'mc-1', group: widgetKind.group, kind: widgetKind.kind, namespace: 'ns', name: 'w1' },
    cause: 'event',
    attempt: 0,
    trace: 't',
  }),
});

it('creates what a reconciler needs once per process, and aims its writes at workload clusters', async () => {
  const { api, writers, cluster } = createMemoryWorkload({ clock: systemClock, ids: countingIds() });
  const { kubernetes } = cluster(target.uid);
  await kubernetes.create({ ...nodeRef, metadata: { name: 'n1' }, spec: {} });
  const reconciler = aReconciler({
    observe: async (primary, _ask, pass) => {
      const version = { cluster: target.uid, origin: '', kubeconfig: '', version: '1' };
      api.reads(version, pass.signal);
      return { primary, pass: pass.number };
    },
    decide: () => [cordon],
  });
  const wiring = vi.fn((_runtime: Runtime) => ({ reconciler: () => reconciler, ports: {}, workload: writers }));
  const lines: LogFact['line'][] = [];
  const keep = (fact: unknown): void => {
    lines.push((fact as LogFact).line); // True: this channel has no other facts.
  };
  logs.subscribe(keep);
  const handler = portedHandler(aDeclaration(), wiring);
  const context = aContext(systemClock);
  const answers = [await handler(anSqsEvent(message), context), await handler(anSqsEvent(message), context)];
  logs.unsubscribe(keep);
  expect(answers).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
  expect(lines.filter(line => line['message'] === 'Reconciled')).toMatchObject([{ writes: 1 }, { writes: 1 }]);
  expect(await kubernetes.get(nodeRef)).toMatchObject({ ok: true, value: { spec: { unschedulable: true } } });
  expect(management.received.every(({ method }) => method === 'GET')).toBe(true);
  expect(wiring).toHaveBeenCalledTimes(1);
});
