// The signer as functions load it. This test imports nothing else, so the signer must load all its dependencies.
import { expect, it } from 'vitest';
import { createSigner } from '../../../../../shared/certificates/x509/lazy-signer.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const signer = createSigner();

it('reports the error of a CA that cannot sign', async () => {
  const authority = { certificate: 'no certificate', privateKey: 'no key' };
  expect(await signer.kubeconfig({ clusterName: 'c1', server: 'https://h.example', authority, now })).toMatchObject({
    ok: false,
  });
});

it('recognizes a kubeconfig that it generated', async () => {
  const { createAuthority } = await import('../../../../../shared/certificates/x509/authority.ts');
  const authority = await createAuthority(now);
  const made = await signer.kubeconfig({ clusterName: 'c1', server: 'https://h.example', authority, now });
  expect(made.ok && (await signer.inspect(made.value))).toMatchObject({
    clusterName: 'c1',
    server: 'https://h.example',
  });
});
