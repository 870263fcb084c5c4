import { describe, expect, it } from 'vitest';
import { clusterId, referredObjects, toClusterFragment } from '../../../../cli/ui/cluster-fragment.ts';
import { toSummaryFragment } from '../../../../cli/ui/summary-fragment.ts';
import { aCluster, aMachine, aMachineDeployment, anInfraCluster } from '../../../support/builders.ts';
import { snapshotOf } from '../../functions/cluster/why/snapshot-of.ts';

const cluster = aCluster().inPhase('Provisioned').withCondition('Available').build();

describe('a Cluster of the page', () => {
  it('has its name, its state and its sentences', () => {
    const waiting = aCluster()
      .inPhase('Provisioning')
      .withCondition('InfrastructureReady', { status: 'False', reason: 'NotReady', message: 'no <network>' })
      .build();
    const text = toClusterFragment(snapshotOf(waiting));
    expect(text).toContain('id="cluster-ns.c1" data-name="ns/c1"');
    expect(text).toContain('aria-label="waiting"');
    expect(text).toContain('<li>Cluster ns/c1 waits for InfrastructureReady.</li>');
    expect(text).toContain('no &lt;network&gt;');
    expect(text).not.toContain('<network>');
  });

  it('shows texts of objects as text', () => {
    const message = '</details><script>alert(1)</script>';
    const infrastructure = anInfraCluster().withCondition('Ready', { status: 'False', reason: 'Bad', message }).build();
    const referred = { state: 'found', kind: 'X"><b>', name: 'n', object: infrastructure } as const;
    const text = toClusterFragment(snapshotOf(cluster, { infrastructure: referred }));
    expect(text).toContain('&lt;/details&gt;&lt;script&gt;');
    expect(text).not.toMatch(/<script>|<b>|"><b/);
    expect(referredObjects(snapshotOf(cluster, { infrastructure: referred }))).toEqual([infrastructure]);
    expect(referredObjects(snapshotOf(cluster))).toEqual([]);
  });

  it('has the tree with Nodes, and links to the objects', () => {
    const label = { 'cluster.x-k8s.io/deployment-name': 'md1' };
    const machines = [aMachine().labelled(label).withNode('node-1').withCondition('Available').build()];
    const text = toClusterFragment(
      snapshotOf(cluster, { machineDeployments: [aMachineDeployment().build()], machines }),
    );
    expect(text).toContain('href="#object?kind=MachineDeployment&amp;namespace=ns&amp;name=md1"');
    expect(text).toContain('href="#object?kind=Machine&amp;namespace=ns&amp;name=m1"');
    expect(text).toContain('<span class="name">Node/node-1</span>');
  });

  it('has an id of its own', () => {
    expect(clusterId(snapshotOf(cluster))).toBe('cluster-ns.c1');
  });
});

describe('a rollout', () => {
  const label = { 'cluster.x-k8s.io/deployment-name': 'md1' };
  const outdated = { status: 'False', reason: 'NotUpToDate', message: 'Version v1.34.0, v1.35.0 required' } as const;
  const machine = (name: string) => aMachine().named(name).labelled(label);

  it('is a picture with words', () => {
    const machines = [
      machine('m1').withCondition('Available').withCondition('UpToDate').build(),
      machine('m2').withCondition('Available').withCondition('UpToDate', outdated).build(),
      machine('m3').withFinalizers('f').deleting().withCondition('UpToDate', outdated).build(),
    ];
    const text = toClusterFragment(
      snapshotOf(cluster, { machineDeployments: [aMachineDeployment().build()], machines }),
    );
    expect(text).toContain('MachineDeployment md1: 2 of 3 ready, 1 replaced, 2 to replace, 1 leaving');
    expect(text).toContain('id="box-ns.m2" class="box ready outdated"');
    expect(text.indexOf('box-ns.m2')).toBeLessThan(text.indexOf('box-ns.m1'));
  });

  it('of many Machines has a number instead of boxes', () => {
    const machines = Array.from({ length: 63 }, (_, at) => machine(`m${at}`).build());
    const text = toClusterFragment(
      snapshotOf(cluster, { machineDeployments: [aMachineDeployment().build()], machines }),
    );
    expect(text.match(/class="box /g)).toHaveLength(60);
    expect(text).toContain('<li class="more">3 more</li>');
  });
});

it.each([
  { clusters: [], text: '0 Clusters, nothing waits' },
  { clusters: [cluster], text: '1 Cluster, nothing waits' },
  { clusters: [cluster, aCluster().build()], text: '2 Clusters, 1 waiting' },
])('the first line says: $text', ({ clusters, text }) => {
  expect(
    toSummaryFragment(
      'https://server',
      clusters.map(each => snapshotOf(each)),
    ),
  ).toContain(text);
});
