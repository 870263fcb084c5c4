import { describe, expect, it } from 'vitest';
import { readTemplates } from '../../../../functions/clusterclass/observe.ts';
import { explainClass, toClassNode } from '../../../../functions/clusterclass/why.ts';
import { toLines } from '../../../../local/view/tree-lines.ts';
import { readClusterClass } from '../../../../shared/api/cluster-class/reader.ts';
import { toSentences } from '../../../../shared/explain/explanation.ts';
import { limited, toRows } from '../../../../shared/explain/tree.ts';
import { aPlainClusterClass, templates } from '../../../support/cluster-class.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

const settled = aPlainClusterClass()
  .withStatus({ observedGeneration: 1 })
  .withCondition('Paused', { status: 'False', reason: 'NotPaused' })
  .withCondition('VariablesReady')
  .withCondition('RefVersionsUpToDate');
const old = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1', kind: 'SimulatedMachineTemplate', name: 'cp-machine' };
const unknown = settled.withCondition('RefVersionsUpToDate', {
  status: 'Unknown',
  reason: 'InternalError',
  message: 'Please check controller logs for errors',
});

async function snapshotOf(clusterClass: typeof settled, present = [templates.infrastructure, templates.controlPlane]) {
  const api = createMemoryApi();
  api.given(...present);
  const object = clusterClass.build();
  return { object, templates: await readTemplates(readClusterClass(object), api.kubernetes) };
}

describe('a ClusterClass on the screen', () => {
  it.each([
    {
      clusterClass: settled,
      lines: [
        '✓ ClusterClass/ns/cc                usable',
        '├─ ✓ SimulatedClusterTemplate/infra    v1beta2',
        '└─ ✓ SimulatedControlPlaneTemplate/cp  v1beta2',
      ],
      reason: 'all is well',
    },
    {
      clusterClass: aPlainClusterClass(),
      lines: ['… ClusterClass/ns/cc                waiting for its first reconcile'],
      reason: 'it was not reconciled yet',
    },
    {
      clusterClass: settled.paused().withCondition('Paused', { reason: 'Paused', message: 'on request' }),
      lines: ['‖ ClusterClass/ns/cc                waiting for its pause to end: on request'],
      reason: 'it is paused',
    },
    {
      clusterClass: settled.withCondition('VariablesReady', { status: 'False', message: 'a is wrong' }),
      lines: ['✗ ClusterClass/ns/cc                waiting for VariablesReady: a is wrong'],
      reason: 'no Cluster can use it',
    },
    {
      clusterClass: settled.atGeneration(2),
      lines: ['… ClusterClass/ns/cc                waiting for generation 2 to be reconciled'],
      reason: 'its spec changed',
    },
  ])('$reason', async ({ clusterClass, lines }) => {
    const shown = toLines(toRows(toClassNode(await snapshotOf(clusterClass), limited)), { width: 200, color: false });
    const squeezed = (all: readonly string[]): readonly string[] => all.map(line => line.replaceAll(/ {2,}/g, '  '));
    expect(squeezed(shown.slice(0, lines.length))).toEqual(squeezed(lines));
  });

  it('shows a template that is missing, and one that cannot be read', async () => {
    const shown = toRows(
      toClassNode(await snapshotOf(unknown.withControlPlaneMachines(old), [templates.controlPlane]), limited),
    );
    expect(shown.map(({ mark, detail }) => [mark, detail.slice(0, 60)])).toEqual([
      ['waiting', 'waiting for RefVersionsUpToDate: Please check controller log'],
      ['missing', 'does not exist'],
      ['ready', 'v1beta2'],
      ['failing', 'failed to get the external object for the ClusterClass. refG'],
    ]);
  });
});

describe('why a ClusterClass waits', () => {
  it('is nothing where Clusters can use it', async () => {
    expect(explainClass(await snapshotOf(settled))).toBeUndefined();
  });

  it('names the template that is missing, which the condition does not', async () => {
    const explanation = explainClass(await snapshotOf(unknown, [templates.controlPlane]));
    expect(toSentences('ClusterClass ns/cc', explanation)).toEqual([
      'ClusterClass ns/cc waits for RefVersionsUpToDate.',
      'Condition RefVersionsUpToDate is Unknown (InternalError): Please check controller logs for errors.',
      'This points to SimulatedClusterTemplate ns/infra, which does not exist.',
      'What to do: create what does not exist, install the provider, or name another template',
    ]);
  });

  it('names outdated references, and reports that the class can be used', async () => {
    const crd = 'simulatedclustertemplates.infrastructure.cluster.x-k8s.io';
    const api = createMemoryApi();
    api.given(templates.infrastructure, templates.controlPlane);
    const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: crd };
    await api.others.mergePatch(definition, { metadata: { labels: { 'cluster.x-k8s.io/v1beta2': 'v1' } } });
    const object = settled.withCondition('RefVersionsUpToDate', { status: 'False', message: 'old' }).build();
    const explanation = explainClass({
      object,
      templates: await readTemplates(readClusterClass(object), api.kubernetes),
    });
    expect(explanation?.pointsTo).toEqual([
      'SimulatedClusterTemplate ns/infra: named in version v1beta2, latest is v1',
    ]);
    expect(explanation?.remedies).toEqual([
      'name the templates in the latest version; Clusters can still use the class',
    ]);
  });

  it.each([
    { clusterClass: aPlainClusterClass(), remedy: 'see whether the functions run', reason: 'nothing is reported' },
    {
      clusterClass: settled.paused().withCondition('Paused'),
      remedy: 'take the annotation away: kubectl annotate clusterclass',
      reason: 'pause',
    },
    {
      clusterClass: settled.withCondition('VariablesReady', { status: 'False' }),
      remedy: 'fix the variables',
      reason: 'variables',
    },
  ])('gives a remedy: $reason', async ({ clusterClass, remedy }) => {
    const { remedies = [] } = explainClass(await snapshotOf(clusterClass)) ?? {};
    expect(remedies.join()).toContain(remedy);
  });
});
