// Watches of a workload cluster over HTTP, with the kubeconfig in the Secret of its Cluster.
import { afterAll, describe, expect, it } from 'vitest';
import { createWorkloadWatches } from '../../../../../shared/kubernetes/rest/workload-watches.ts';
import { plainKubeconfig } from '../../../../support/workload-kubeconfig.ts';
import { closeServers, metadata, nodesQuery, serve, signal, targetOf } from './workload-fixtures.ts';

const node = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
const query = { ...nodesQuery, as: 'metadata' } as const;

afterAll(closeServers);

const connect = (addresses: 'any' | 'routable', kubeconfig: string) =>
  createWorkloadWatches({ userAgent: 'agent', client: 'test', addresses })(targetOf(kubeconfig));

describe('the watches of a workload cluster', () => {
  it('list and watch metadata', async () => {
    const server = await serve(({ query: asked }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        'watch' in asked
          ? `${JSON.stringify({ type: 'MODIFIED', object: node })}\n`
          : JSON.stringify({ kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '9' }, items: [node] }),
      );
    });
    const watches = await connect('any', plainKubeconfig({ server: server.url }));
    if (!watches.ok) {
      throw new Error(watches.error);
    }
    const page = await watches.value.page(query, { limit: 500, signal });
    expect(page).toMatchObject({ ok: true, value: { resourceVersion: '9', items: [{ metadata }] } });
    const events = [];
    for await (const event of watches.value.watch(query, { resourceVersion: '9', signal })) {
      events.push(event);
    }
    expect(events).toMatchObject([{ type: 'MODIFIED', object: { metadata } }]);
  });

  it('are refused for addresses of the own machine, and for a kubeconfig that is not usable', async () => {
    const local = await connect('routable', plainKubeconfig({ server: 'http://127.0.0.1:1' }));
    expect(local).toMatchObject({ ok: false, error: expect.stringContaining('127.0.0.1') });
    const broken = await connect('any', 'secret-text: [');
    expect(broken).toMatchObject({ ok: false, error: expect.not.stringContaining('secret-text') });
  });
});
