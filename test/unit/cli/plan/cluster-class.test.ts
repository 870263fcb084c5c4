// The plan for a ClusterClass, without calls to extensions.

import { toRef } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { plannables } from '../../../../cli/plan/registry.ts';
import { toPlanReport } from '../../../../cli/plan/report.ts';
import { aPlainClusterClass, templates } from '../../../support/cluster-class.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'DiscoverVariables' };
const extension = anExtensionConfig().withStatus({
  handlers: [{ name: 'myVars.ext1', requestHook, failurePolicy: 'Fail' }],
});

async function planOf(clusterClass: ReturnType<typeof aPlainClusterClass>) {
  const api = createMemoryApi();
  api.given(templates.infrastructure, templates.controlPlane, extension, clusterClass);
  const plannable = plannables.find(({ declaration }) => declaration.name === 'clusterclass');
  const ref = toRef(clusterClass.build());
  const now = api.clock.now();
  const plan = await plannable?.plan({ reads: api.kubernetes, ref, now, callHooks: false, probeWorkloads: false });
  return plan === undefined ? undefined : toPlanReport(plan, { source: 'here', notes: [] });
}

it('is its mark on each template, and why', async () => {
  const report = await planOf(aPlainClusterClass());
  expect(report).toMatchObject({ object: 'ClusterClass ns/cc', result: 'done' });
  expect(report?.passes.flatMap(({ actions }) => actions).map(({ object, why }) => [object, why])).toEqual([
    ['SimulatedClusterTemplate ns/infra', 'ClusterClass ns/cc references it, and it lacks this owner reference'],
    ['SimulatedControlPlaneTemplate ns/cp', 'ClusterClass ns/cc references it, and it lacks this owner reference'],
  ]);
});

it('assumes that extensions define the variables of the status, and reports that', async () => {
  const discovered = { from: 'p1', required: false, schema: { openAPIV3Schema: { type: 'string' } } };
  const report = await planOf(
    aPlainClusterClass()
      .discovering({ p1: 'myVars.ext1' })
      .withStatus({ variables: [{ name: 'a', definitionsConflict: false, definitions: [discovered] }] }),
  );
  expect(report).toMatchObject({ result: 'done' });
  expect(report?.wouldAsk).toContain(
    'the extension server at https://ext1.example:8443 by hook DiscoverVariables; assumed to define what the status lists; --call-hooks calls it',
  );
  expect(JSON.stringify(report?.passes.map(({ status }) => status))).not.toContain('variables');
});
