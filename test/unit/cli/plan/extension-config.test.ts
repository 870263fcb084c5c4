// The plan for an ExtensionConfig, with and without calls to its server.

import { toRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { plannables } from '../../../../cli/plan/registry.ts';
import { toPlanReport } from '../../../../cli/plan/report.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { ObjectBuilder, testStart } from '../../../support/object-builder.ts';

const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'GeneratePatches' };
const settled = anExtensionConfig().withCondition('Paused', {
  status: 'False',
  reason: 'NotPaused',
  observedGeneration: 1,
});
const discovered = settled
  .withStatus({ handlers: [{ name: 'first.ext1', requestHook, failurePolicy: 'Fail' }] })
  .withCondition('Discovered', { reason: 'Discovered', observedGeneration: 1 })
  .withV1Beta1Condition('Discovered');
const question = 'the extension server at https://ext1.example:8443 by hook Discovery; ';

async function planOf(config: typeof settled, ...others: readonly ReturnType<typeof aSecret>[]) {
  const reads = fakeReads([config, ...others]);
  const plannable = plannables.find(({ declaration }) => declaration.name === 'extensionconfig');
  const planning = { reads, ref: toRef(config.build()), now: testStart, callHooks: false, probeWorkloads: false };
  const plan = await plannable?.plan(planning);
  return plan === undefined ? undefined : toPlanReport(plan, { source: 'here', notes: [] });
}

function aSecret() {
  const secret = new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name: 's' }).build();
  return { ...secret, data: { 'ca.crt': 'UEVN' } };
}

it('is nothing for a settled one: its server is assumed to serve the same handlers', async () => {
  const report = await planOf(discovered);
  expect(report).toMatchObject({ object: 'ExtensionConfig ext1', writes: 0, result: 'requeueAfter' });
  expect(report?.wouldAsk).toEqual([
    `${question}assumed to serve what condition Discovered reports; --call-hooks calls it`,
  ]);
});

it('reports the injected CA bundle, and the reason', async () => {
  const report = await planOf(discovered.injectingCaFrom('ns/s'), aSecret());
  expect(report?.passes[0]?.actions).toEqual([
    {
      id: 'caBundle',
      do: 'patch',
      object: 'ExtensionConfig ext1',
      why: 'Secret ns/s, which the annotation runtime.cluster.x-k8s.io/inject-ca-from-secret names, has a ca.crt that differs from the caBundle of the spec',
      body: { spec: { clientConfig: { caBundle: 'UEVN' } } },
      resourceVersion: '1',
    },
  ]);
});

it('does not invent an answer of a server that was never called', async () => {
  const report = await planOf(settled);
  expect(report?.wouldAsk).toEqual([`${question}assumed not to answer; --call-hooks calls it`]);
  expect(report).toMatchObject({ result: 'failed', error: 'failed to discover extension "ext1": not called' });
});
