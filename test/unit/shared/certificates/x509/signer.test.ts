import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Authority } from '../../../../../shared/certificates/port.ts';
import { createAuthority } from '../../../../../shared/certificates/x509/authority.ts';
import { createSigner } from '../../../../../shared/certificates/x509/lazy-signer.ts';

const now = Date.parse('2026-01-02T03:04:05Z');
const hourMs = 3_600_000;
const server = 'https://h.example:6443';
const signer = createSigner();
let authority: Authority;

beforeAll(async () => {
  authority = await createAuthority(now);
});

async function sign(change: Partial<Authority> = {}, at = server) {
  const request = { clusterName: 'c1', server: at, authority: { ...authority, ...change }, now };
  return signer.kubeconfig(request);
}

async function signed(change: Partial<Authority> = {}, at = server): Promise<string> {
  const answer = await sign(change, at);
  if (!answer.ok) {
    throw new Error(answer.error);
  }
  return answer.value;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly name: string; readonly user: Readonly<Record<string, string>> }[];
  readonly contexts: unknown;
  readonly 'current-context': string;
}

/** Returns the signer's output, parsed as YAML. */
async function readBack(change: Partial<Authority> = {}, at = server) {
  const config = parse(await signed(change, at)) as Kubeconfig; // true: this is the text under test; an invalid one fails below
  const pem = (data: string | undefined) => Buffer.from(data ?? '', 'base64').toString();
  return {
    config,
    authority: pem(config.clusters[0]?.cluster['certificate-authority-data']),
    certificate: new X509Certificate(pem(config.users[0]?.user['client-certificate-data'])),
    key: pem(config.users[0]?.user['client-key-data']),
  };
}

describe('a new CA', () => {
  it('is valid for ten years', () => {
    const certificate = new X509Certificate(authority.certificate);
    expect(certificate.subject).toBe('CN=kubernetes');
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.validFromDate.getTime()).toBe(now - 5 * 60_000);
    expect(certificate.validToDate.getTime()).toBe(now + 3650 * 24 * hourMs);
    expect(authority.privateKey).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
  });
});

describe('a generated kubeconfig', () => {
  it('names cluster, user and context after the Cluster', async () => {
    const { config } = await readBack();
    expect(config.clusters).toEqual([{ name: 'c1', cluster: expect.objectContaining({ server }) }]);
    expect(config.users).toEqual([{ name: 'c1-admin', user: expect.anything() }]);
    expect(config.contexts).toEqual([{ name: 'c1-admin@c1', context: { cluster: 'c1', user: 'c1-admin' } }]);
    expect(config['current-context']).toBe('c1-admin@c1');
  });

  it.each(['https://[::1]:6443', 'https://10.0.0.1:443'])('has the server %s', async at => {
    expect((await readBack({}, at)).config.clusters[0]?.cluster['server']).toBe(at);
  });

  it('quotes names that YAML would parse as another type', async () => {
    const request = { clusterName: '123', server, authority, now };
    const answer = await signer.kubeconfig(request);
    const config = parse(answer.ok ? answer.value : '') as Kubeconfig; // true: this is the text under test; an invalid one fails below
    expect(config.clusters[0]?.name).toBe('123');
  });

  it('authenticates the administrator for one year', async () => {
    const { certificate, authority: trusted, key } = await readBack();
    const issuer = new X509Certificate(trusted);
    expect(trusted).toBe(authority.certificate);
    expect(certificate.checkIssued(issuer)).toBe(true);
    expect(certificate.verify(issuer.publicKey)).toBe(true);
    expect(certificate.subject.split('\n')).toEqual(['O=system:masters', 'CN=kubernetes-admin']);
    expect(certificate.validFrom).toBe(issuer.validFrom);
    expect(certificate.validToDate.getTime()).toBe(now + 8760 * hourMs);
    expect([certificate.ca, certificate.subjectAltName, certificate.keyUsage]).toEqual([
      false,
      undefined,
      ['1.3.6.1.5.5.7.3.2'],
    ]);
    expect(key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  it('has its own key and serial number each time', async () => {
    const [one, other] = [await readBack(), await readBack()];
    expect(one.key).not.toBe(other.key);
    expect(one.certificate.serialNumber).not.toBe(other.certificate.serialNumber);
  });

  it('is signed with the first of several PEM blocks', async () => {
    const { authority: trusted } = await readBack({
      certificate: `a remark\n${authority.certificate}${(await createAuthority(now)).certificate}`,
    });
    expect(trusted).toBe(authority.certificate);
  });

  it('is signed by a PKCS#8 key as well', async () => {
    const pkcs8 = createPrivateKey(authority.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
    expect((await readBack({ privateKey: pkcs8 })).certificate.issuer).toBe('CN=kubernetes');
  });

  it.each(['P-256', 'P-384', 'P-521'])('is signed by a key on the curve %s as well', async namedCurve => {
    const { authority: elliptic, publicKey } = await anEllipticAuthority(namedCurve);
    const { certificate } = await readBack(elliptic);
    expect(certificate.verify(publicKey)).toBe(true);
  });
});

describe('a CA that cannot sign', () => {
  it.each([
    { change: { certificate: 'nope' }, error: 'failed to decode CA Cert: unable to decode PEM data' },
    { change: { privateKey: 'nope' }, error: 'failed to decode private key: unable to decode PEM data' },
    { change: { certificate: '' }, error: 'failed to decode CA Cert: unable to decode PEM data' },
    {
      change: { certificate: '-----BEGIN CERTIFICATE-----\nbm9wZQ==\n-----END CERTIFICATE-----' },
      error: 'failed to decode CA Cert: the PEM block holds no X.509 certificate',
    },
    {
      change: { privateKey: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----' },
      error: 'failed to decode private key: the PEM block holds no private key in PKCS#1, PKCS#8 or SEC 1 form',
    },
  ])('is rejected: $error', async ({ change, error }) => {
    expect(await sign(change)).toEqual({ ok: false, error });
  });

  it('is rejected if key and certificate do not match', async () => {
    const { privateKey } = await createAuthority(now);
    expect(await sign({ privateKey })).toEqual({
      ok: false,
      error: "failed to sign certificate: the private key does not belong to the CA's certificate",
    });
  });

  it('is rejected if its key has an unsupported type', async () => {
    const { authority: exotic } = await anEllipticAuthority('secp256k1');
    expect(await sign(exotic)).toEqual({
      ok: false,
      error:
        'failed to sign certificate: a key of this kind cannot sign here; use RSA or ECDSA on P-256, P-384 or P-521',
    });
  });
});

describe('the inspection of our own kubeconfigs', () => {
  it('returns the Cluster, the server and the expiry', async () => {
    expect(await signer.inspect(await signed())).toEqual({ clusterName: 'c1', server, expiresAt: now + 8760 * hourMs });
  });

  it.each([
    { reason: 'not YAML', change: () => '{"a: [' },
    { reason: 'another text', change: () => 'hello' },
    { reason: 'a token', change: (text: string) => `${text}    token: t\n` },
    { reason: 'a second user', change: (text: string) => `${text}- name: me\n  user: {}\n` },
    { reason: 'another user name', change: (text: string) => text.replaceAll('c1-admin', 'me') },
    { reason: 'a context of another user', change: (text: string) => text.replace('user: c1-admin', 'user: me') },
    {
      reason: 'no certificate',
      change: (text: string) => text.replace(/client-certificate-data: .*/, 'client-certificate-data: bm9wZQ=='),
    },
    {
      reason: 'a certificate of another user',
      change: (text: string) =>
        text.replace(/client-certificate-data: .*/, `client-certificate-data: ${btoa(authority.certificate)}`),
    },
  ])('ignores a kubeconfig with $reason', async ({ change }) => {
    expect(await signer.inspect(change(await signed()))).toBeUndefined();
  });
});

/** Returns a self-signed certificate with a key on this curve. Only its key is used. */
async function anEllipticAuthority(namedCurve: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const { issueCertificate, readAuthority } = await import('../../../../../shared/certificates/x509/authority.ts');
  const signing = readAuthority(authority);
  if (!signing.ok) {
    throw new Error(signing.error);
  }
  const certificate = await issueCertificate(signing.value, {
    subject: [{ CN: ['kubernetes'] }],
    publicKey,
    notBefore: new Date(now),
    notAfter: new Date(now + hourMs),
    extensions: [],
  });
  return {
    publicKey,
    authority: { certificate, privateKey: privateKey.export({ type: 'sec1', format: 'pem' }).toString() },
  };
}
