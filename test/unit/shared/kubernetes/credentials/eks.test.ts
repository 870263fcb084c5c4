import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEksCredentials } from '../../../../../shared/kubernetes/credentials/eks.ts';
import { testIdentity, testSecretKey } from '../../../../support/aws-identity.ts';
import { SteppedClock } from '../../../../support/stepped-clock.ts';

const pem = '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n';
const cluster = {
  cluster: 'mgmt',
  endpoint: 'https://ABC.gr7.eu-central-1.eks.amazonaws.com',
  certificateAuthorityFile: path.join(mkdtempSync(path.join(tmpdir(), 'capi-eks-')), 'ca.pem'),
};
const minute = 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');

/** Returns the presigned URL in a token. */
function urlOf(authorization: string | undefined): URL {
  const [, encoded = ''] = /^Bearer k8s-aws-v1\.([\w-]+)$/.exec(authorization ?? '') ?? [];
  return new URL(Buffer.from(encoded, 'base64url').toString());
}

describe('credentials for an EKS cluster', () => {
  beforeAll(() => writeFileSync(cluster.certificateAuthorityFile, pem));
  afterAll(() => rmSync(path.dirname(cluster.certificateAuthorityFile), { recursive: true }));

  it('require the file of the certificate authority', async () => {
    const lost = { ...cluster, certificateAuthorityFile: '/nonexistent/ca.pem' };
    const made = createEksCredentials(lost, { identity: testIdentity(), clock: new SteppedClock(start) });
    await expect(made).rejects.toThrow("ENOENT: no such file or directory, open '/nonexistent/ca.pem'");
  });

  it('take the certificate authority from the setting itself if it is no path', async () => {
    const inline = { ...cluster, certificateAuthorityFile: `data:;base64,${Buffer.from(pem).toString('base64')}` };
    const made = await createEksCredentials(inline, { identity: testIdentity(), clock: new SteppedClock(start) });
    expect((await made.current()).endpoint.ca).toBe(pem);
  });

  it('are a presigned GetCallerIdentity URL, bound to that cluster', async () => {
    const clock = new SteppedClock(start);
    const credentials = await createEksCredentials(cluster, {
      identity: testIdentity({ sessionToken: 'of-a-role' }),
      clock,
    });
    const { endpoint, authorization } = await credentials.current();
    const url = urlOf(authorization);
    expect(endpoint).toEqual({ server: cluster.endpoint, ca: pem, insecureSkipTlsVerify: false });
    expect(credentials.server).toBe(cluster.endpoint);
    expect(url.origin).toBe('https://sts.eu-central-1.amazonaws.com');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20260101/eu-central-1/sts/aws4_request',
      'X-Amz-Date': '20260101T000000Z',
      'X-Amz-Expires': '60',
      'X-Amz-Security-Token': 'of-a-role',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(url.href).not.toContain(testSecretKey);
  });

  it('are kept for 14 minutes and renewed before the token ends', async () => {
    const clock = new SteppedClock(start);
    const credentials = await createEksCredentials(cluster, { identity: testIdentity(), clock });
    const first = await credentials.current();
    await clock.advance(14 * minute - 1);
    expect(await credentials.current()).toBe(first);
    await clock.advance(1);
    const second = await credentials.current();
    expect(second.authorization).not.toBe(first.authorization);
    expect(second.endpoint).toBe(first.endpoint);
    expect(urlOf(second.authorization).searchParams.get('X-Amz-Date')).toBe('20260101T001400Z');
  });

  it('are renewed a minute before the credentials of the role end', async () => {
    const clock = new SteppedClock(start);
    let expiresAt = start + 5 * minute;
    const identity = testIdentity({ expiresAt: () => expiresAt });
    const credentials = await createEksCredentials(cluster, { identity, clock });
    const first = await credentials.current();
    expiresAt = start + 60 * minute;
    await clock.advance(4 * minute - 1);
    expect((await credentials.current()).authorization).toBe(first.authorization);
    await clock.advance(1);
    expect((await credentials.current()).authorization).not.toBe(first.authorization);
  });

  it('are renewed after a 401', async () => {
    const clock = new SteppedClock(start);
    const credentials = await createEksCredentials(cluster, { identity: testIdentity(), clock });
    await clock.advance(1_000);
    expect(await credentials.refresh()).toBe(true);
    expect(await credentials.refresh()).toBe(false);
  });

  it('require AWS credentials', async () => {
    const withoutCredentials = { ...testIdentity(), presign: () => Promise.reject(new Error('no credentials')) };
    await expect(
      createEksCredentials(cluster, { identity: withoutCredentials, clock: new SteppedClock() }),
    ).rejects.toThrow('no credentials');
  });
});
