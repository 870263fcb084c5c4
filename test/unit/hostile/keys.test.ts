// Keys and certificates of tenants that would block a process. None of these keys is valid. They are refused because of
// their encoding.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificatesIn, privateKeyIn } from '../../../shared/certificates/pem-limits.ts';
import { createAuthority } from '../../../shared/certificates/x509/authority.ts';
import { createSigner } from '../../../shared/certificates/x509/lazy-signer.ts';
import { readInlineKubeconfig } from '../../../shared/kubernetes/credentials/kubeconfig.ts';

function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const length = Buffer.from([0x84, 0, 0, 0, 0]);
  length.writeUInt32BE(body.length, 1);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...content: readonly Uint8Array[]): Buffer => der(0x30, ...content);
const integer = (bits: number): Buffer => {
  const value = Buffer.alloc(Math.ceil((bits + 1) / 8));
  value[Math.floor((value.length * 8 - bits) / 8)] = 1 << ((bits - 1) % 8);
  return der(2, value);
};
const rsaAlgorithm = sequence(Buffer.from('06092a864886f70d010101', 'hex'), der(5));

function pemOf(label: string, bytes: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString('base64')}\n-----END ${label}-----\n`;
}

const pkcs1 = (bits: number, ...more: readonly Uint8Array[]): Buffer =>
  sequence(integer(1), integer(bits), integer(17), ...more);
const pkcs8 = (bits: number): Buffer => sequence(integer(1), rsaAlgorithm, der(4, pkcs1(bits)));
const certificate = (bits: number, ...extensions: readonly Uint8Array[]): Buffer => {
  const key = sequence(rsaAlgorithm, der(3, Buffer.from([0]), sequence(integer(bits), integer(17))));
  const body = sequence(der(0xa0, integer(2)), integer(9), rsaAlgorithm, sequence(), sequence(), sequence(), key);
  return sequence(body, rsaAlgorithm, der(3, Buffer.from([0])), ...extensions);
};

const keys: readonly { readonly reason: string; readonly pem: string; readonly problem: string }[] = [
  {
    reason: 'RSA of 32,768 bits in PKCS#1',
    pem: pemOf('RSA PRIVATE KEY', pkcs1(32_768)),
    problem: 'holds an RSA key of 32768 bits; use one of at most 8192 bits, or ECDSA',
  },
  {
    reason: 'RSA of 32,768 bits in PKCS#8',
    pem: pemOf('PRIVATE KEY', pkcs8(32_768)),
    problem: 'holds an RSA key of 32768 bits; use one of at most 8192 bits, or ECDSA',
  },
  {
    reason: 'RSA of one bit too many',
    pem: pemOf('RSA PRIVATE KEY', pkcs1(8193)),
    problem: 'holds an RSA key of 8193 bits; use one of at most 8192 bits, or ECDSA',
  },
  {
    reason: 'RSA with many primes',
    pem: pemOf('RSA PRIVATE KEY', pkcs1(4096, ...Array.from({ length: 20 }, () => integer(4096)))),
    problem: 'holds an RSA key of 10921 bytes; at most 8192 are read',
  },
  {
    reason: 'RSA in an encoding of unknown length',
    pem: pemOf('RSA PRIVATE KEY', Buffer.concat([Buffer.from([0x30, 0x80]), integer(1), integer(32_768)])),
    problem: 'holds an RSA key that cannot be read',
  },
  {
    reason: 'RSA that is cut off',
    pem: pemOf('RSA PRIVATE KEY', Buffer.from('30', 'hex')),
    problem: 'holds an RSA key that cannot be read',
  },
  {
    reason: 'another kind of block',
    pem: pemOf('PUBLIC KEY', pkcs1(2048)),
    problem: 'holds no private key in PKCS#1, PKCS#8 or SEC 1 form',
  },
  {
    reason: 'another algorithm with large parameters',
    pem: pemOf(
      'PRIVATE KEY',
      sequence(integer(1), sequence(Buffer.from('06072a8648ce380401', 'hex'), integer(32_768))),
    ),
    problem: 'holds a private key other than RSA of 4131 bytes; at most 1024 are read',
  },
  {
    reason: 'a large key on a curve',
    pem: pemOf('EC PRIVATE KEY', sequence(integer(1), der(4, Buffer.alloc(4096)))),
    problem: 'holds a private key other than RSA of 4115 bytes; at most 1024 are read',
  },
  {
    reason: 'an encrypted key, whose password takes rounds without limit',
    pem: pemOf('ENCRYPTED PRIVATE KEY', pkcs8(2048)),
    problem: 'holds no private key in PKCS#1, PKCS#8 or SEC 1 form',
  },
];

async function errorOf(user: object): Promise<string> {
  const kubeconfig = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'c', user }],
  };
  return readInlineKubeconfig('here', JSON.stringify(kubeconfig)).then(String, (error: Error) => error.message);
}

describe('a private key that a tenant supplies', () => {
  it.each(keys)('is refused by its encoding: $reason', async ({ pem, problem }) => {
    expect(privateKeyIn(pem)).toEqual({ ok: false, error: problem });
    const authority = await createAuthority(0);
    const request = { clusterName: 'c1', server: 'https://h:1', now: 0 };
    expect(await createSigner().kubeconfig({ ...request, authority: { ...authority, privateKey: pem } })).toEqual({
      ok: false,
      error: `failed to decode private key: the PEM block ${problem}`,
    });
    expect(
      await errorOf({ 'client-certificate-data': btoa(authority.certificate), 'client-key-data': btoa(pem) }),
    ).toBe(`Kubeconfig here, users[0].user.client-key-data: ${problem}; write the kubeconfig again`);
  });

  it('is read within the limits, and the first of several counts', () => {
    const [first, second] = [pemOf('RSA PRIVATE KEY', pkcs1(8192)), pemOf('PRIVATE KEY', pkcs8(32_768))];
    expect(privateKeyIn(`a remark\n${first}${second}`)).toEqual({ ok: true, value: first });
    expect(privateKeyIn(`${second}${first}`)).toMatchObject({ ok: false });
    for (const namedCurve of ['P-256', 'P-384', 'P-521']) {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve });
      for (const type of ['pkcs8', 'sec1'] as const) {
        const pem = privateKey.export({ type, format: 'pem' }).toString();
        expect(privateKeyIn(pem)).toEqual({ ok: true, value: pem });
      }
    }
  });
});

describe('a certificate that a tenant supplies', () => {
  it.each([
    {
      reason: 'with a key of 32,768 bits',
      pem: pemOf('CERTIFICATE', certificate(32_768)),
      problem: 'holds an RSA key of 32768 bits; use one of at most 8192 bits, or ECDSA',
    },
    {
      reason: 'of more than 16 KiB',
      pem: pemOf('CERTIFICATE', certificate(2048, der(4, Buffer.alloc(16_384)))),
      problem: 'holds a certificate of 16808 bytes; at most 16384 are read',
    },
    {
      reason: 'without a certificate',
      pem: pemOf('NEW CERTIFICATE', certificate(2048)),
      problem: 'holds no X.509 certificate',
    },
  ])('is refused by its encoding: $reason', async ({ pem, problem }) => {
    expect(certificatesIn(pem)).toEqual({ ok: false, error: problem });
    const authority = await createAuthority(0);
    const request = { clusterName: 'c1', server: 'https://h:1', now: 0 };
    expect(await createSigner().kubeconfig({ ...request, authority: { ...authority, certificate: pem } })).toEqual({
      ok: false,
      error: `failed to decode CA Cert: the PEM block ${problem}`,
    });
    expect(await errorOf({ 'client-certificate-data': btoa(pem) })).toBe(
      `Kubeconfig here, users[0].user.client-certificate-data: ${problem}; write the kubeconfig again`,
    );
  });

  it('is read within the limits, and each of several is checked', async () => {
    const { certificate: pem } = await createAuthority(0);
    expect(certificatesIn(`a remark\n${pem}${pem}`)).toEqual({ ok: true, value: `${pem}${pem}` });
    expect(new X509Certificate(pem).publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(certificatesIn(pemOf('CERTIFICATE', certificate(8192)))).toMatchObject({ ok: true });
    expect(certificatesIn(`${pem}${pemOf('CERTIFICATE', certificate(8193))}`)).toMatchObject({ ok: false });
  });
});
