// A batch of ten Clusters. Two of them have hostile Secrets. The others are reconciled in the same invocation. Each
// hostile one gets a log line or a condition that names the limit.
import { expect, it } from 'vitest';
import { clusterReconciler } from '../../../functions/cluster/reconciler.ts';
import { secretText } from '../../../shared/api/secret.ts';
import { createAuthority } from '../../../shared/certificates/x509/authority.ts';
import { createSigner } from '../../../shared/certificates/x509/lazy-signer.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { createWorkload } from '../../../shared/kubernetes/rest/workload.ts';
import { toBody } from '../../../shared/workqueue/message.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { aCluster } from '../../support/builders.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import { aSecret } from '../functions/cluster/secrets.ts';

const names = Array.from({ length: 10 }, (_, at) => `c${at}`);

/** An RSA key in PKCS#1, whose modulus has 32,768 bits. */
const largeKey = ((): string => {
  const modulus = Buffer.alloc(4097, 0xff).fill(0, 0, 1);
  const body = Buffer.concat([Buffer.from('020100', 'hex'), Buffer.from('02821001', 'hex'), modulus]);
  const der = Buffer.concat([Buffer.from([0x30, 0x82, body.length >> 8, body.length & 0xff]), body]);
  return `-----BEGIN RSA PRIVATE KEY-----\n${der.toString('base64')}\n-----END RSA PRIVATE KEY-----\n`;
})();

function messageOf(name: string) {
  const key = { managementCluster: 'mc', group: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'ns', name };
  return {
    messageId: name,
    body: toBody({ v: 1, reconciler: 'cluster', key, cause: 'event', attempt: 0, trace: 't' }),
  };
}

it('reconciles the other Clusters of a batch, and names the limits', async () => {
  const api = createMemoryApi();
  const authority = await createAuthority(api.clock.now());
  for (const name of names) {
    const cluster = aCluster().named(name).withFinalizers('cluster.cluster.x-k8s.io').withEndpoint('127.0.0.1');
    api.given(name === 'c4' ? cluster.infrastructureProvisioned() : cluster);
    const privateKey = name === 'c3' ? largeKey : authority.privateKey;
    api.given(aSecret(`${name}-ca`).holding({ 'tls.crt': authority.certificate, 'tls.key': privateKey }));
  }
  api.given(
    aSecret('c4-kubeconfig').holding({ value: Array.from({ length: 12_000 }, (_, at) => `k${at}: v`).join('\n') }),
  );
  const log = aRecordingLog();
  const signer = createSigner();
  const workload = createWorkload({ userAgent: 'test', addresses: 'routable' });
  const reconcileAll = (of: typeof log) =>
    reconcileBatch(
      {
        ...aBatchContext(api),
        reconciler: clusterReconciler,
        ports: { signer, workload },
        log: of,
      },
      names.map(messageOf),
    );
  // The first pass over a new Cluster does not probe.
  expect(await reconcileAll(aRecordingLog())).toEqual([]);
  expect(await reconcileAll(log)).toEqual([]);
  const signed = names.filter(name => {
    const secret = api.find({ apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: `${name}-kubeconfig` });
    return secret !== undefined && secretText(secret, 'value').includes('client-key-data');
  });
  expect(signed).toEqual(names.filter(name => name !== 'c3' && name !== 'c4'));
  const errors = log.lines.filter(({ level }) => level === 'error');
  expect(errors.map(({ name, error }) => [name, error])).toEqual([
    ['c3', expect.stringContaining('holds an RSA key of 32768 bits; use one of at most 8192 bits, or ECDSA')],
  ]);
  const hostile = api.read({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns', name: 'c4' });
  expect(hostile.status).toMatchObject({
    conditions: expect.arrayContaining([
      expect.objectContaining({
        type: 'RemoteConnectionProbe',
        status: 'False',
        message: 'Remote connection probe failed: Secret ns/c4-kubeconfig has more than 64 KiB',
      }),
    ]),
  });
});
