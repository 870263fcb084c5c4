// The signer as the functions have it. Nothing else is imported here: whatever its code needs, it must bring itself.
import { expect, it } from 'vitest';
import { createSigner } from '../../../../../shared/certificates/x509/lazy-signer.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const signer = createSigner();

it('says what is wrong with an authority that cannot sign', async () => {
  const authority = { certificate: 'no certificate', privateKey: 'no key' };
  expect(await signer.kubeconfig({ clusterName: 'c1', server: 'https://h.example', authority, now })).toMatchObject({
    ok: false,
  });
});

it('knows a kubeconfig again that it made', async () => {
  const { createAuthority } = await import('../../../../../shared/certificates/x509/authority.ts');
  const authority = await createAuthority(now);
  const made = await signer.kubeconfig({ clusterName: 'c1', server: 'https://h.example', authority, now });
  expect(made.ok && (await signer.inspect(made.value))).toMatchObject({
    clusterName: 'c1',
    server: 'https://h.example',
  });
});
