// Reads certificate authorities from PEM and signs certificates. Also creates new authorities, like a bootstrap
// provider.
import 'reflect-metadata';
import { createPrivateKey, type KeyObject, X509Certificate as PlainCertificate, webcrypto } from 'node:crypto';
import { type Checked, type Instant, invalid, valid } from '@capi-serverless/apimachinery';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { certificatesIn, privateKeyIn } from '../pem-limits.ts';
import type { Authority } from '../port.ts';
import { createKeyPair, toSigningKey } from './keys.ts';

const dayMs = 86_400_000;
const authorityDays = 3650;
const serverDays = 365;
const clockSkewMs = 5 * 60_000;

interface SigningAuthority {
  readonly certificate: X509Certificate;
  readonly certificatePem: string;
  readonly key: KeyObject;
}

interface Issue {
  readonly subject: JsonName;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Extension[];
}

/** Returns an error with the unusable part of the authority, without the content of this part. */
export function readAuthority({ certificate, privateKey }: Authority): Checked<SigningAuthority> {
  const certificatePem = readBlock(certificate, certificatesIn);
  const parsed = certificatePem.ok ? orUndefined(() => new X509Certificate(certificatePem.value)) : undefined;
  if (!certificatePem.ok || parsed === undefined) {
    return invalid(
      `failed to decode CA Cert: ${certificatePem.ok ? 'the PEM block holds no X.509 certificate' : certificatePem.error}`,
    );
  }
  const keyPem = readBlock(privateKey, privateKeyIn);
  const key = keyPem.ok ? orUndefined(() => createPrivateKey(keyPem.value)) : undefined;
  if (!keyPem.ok || key === undefined) {
    return invalid(
      `failed to decode private key: ${keyPem.ok ? 'the PEM block holds no private key in PKCS#1, PKCS#8 or SEC 1 form' : keyPem.error}`,
    );
  }
  return new PlainCertificate(certificatePem.value).checkPrivateKey(key)
    ? valid({ certificate: parsed, certificatePem: certificatePem.value, key })
    : invalid("failed to sign certificate: the private key does not belong to the CA's certificate");
}

/** Returns the first block, unless it exceeds a limit. The limits are checked before any library reads the block. */
function readBlock(text: string, read: (pem: string) => Checked<string>): Checked<string> {
  const block = firstPemBlock(text);
  if (block === undefined) {
    return invalid(noPem);
  }
  const limited = read(block);
  return limited.ok ? limited : invalid(`the PEM block ${limited.error}`);
}

/** Signs a certificate. The serial number is random and positive. */
export async function issueCertificate(authority: SigningAuthority, issue: Issue): Promise<string> {
  const keyId = authority.certificate.getExtension(SubjectKeyIdentifierExtension)?.keyId;
  const signing = await toSigningKey(authority.key);
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: newSerialNumber(),
      subject: issue.subject,
      issuer: authority.certificate.subjectName,
      notBefore: issue.notBefore,
      notAfter: issue.notAfter,
      publicKey: issue.publicKey.export({ type: 'spki', format: 'der' }),
      signingKey: signing.key,
      signingAlgorithm: signing.algorithm,
      extensions: [...issue.extensions, ...(keyId === undefined ? [] : [new AuthorityKeyIdentifierExtension(keyId)])],
    },
    webcrypto,
  );
  return `${certificate.toString('pem')}\n`;
}

/** Creates a self-signed authority for a new cluster. It is valid for ten years. */
export async function createAuthority(now: Instant): Promise<Authority> {
  const { publicKey, privateKey } = await createKeyPair();
  const signing = await toSigningKey(privateKey);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: newSerialNumber(),
      subject: [{ CN: ['kubernetes'] }],
      issuer: [{ CN: ['kubernetes'] }],
      notBefore: new Date(now - clockSkewMs),
      notAfter: new Date(now + authorityDays * dayMs),
      publicKey: spki,
      signingKey: signing.key,
      signingAlgorithm: signing.algorithm,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(
          KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment | KeyUsageFlags.keyCertSign,
          true,
        ),
        await SubjectKeyIdentifierExtension.create(spki, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  };
}

interface ServerCertificate {
  /** The certificate and key as PEM texts. */
  readonly certificate: string;
  readonly privateKey: string;
}

/**
 * Creates a certificate for an API server at this IP address. It is valid for one year. Throws if the authority cannot
 * sign.
 */
export async function issueServerCertificate(
  authority: Authority,
  { address, now }: { readonly address: string; readonly now: Instant },
): Promise<ServerCertificate> {
  const signing = readAuthority(authority);
  if (!signing.ok) {
    throw new Error(`Issuing a certificate for ${address} failed: ${signing.error}`);
  }
  const { publicKey, privateKey } = await createKeyPair();
  const certificate = await issueCertificate(signing.value, {
    subject: [{ CN: ['kube-apiserver'] }],
    publicKey,
    notBefore: new Date(now - clockSkewMs),
    notAfter: new Date(now + serverDays * dayMs),
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([{ type: 'ip', value: address }]),
    ],
  });
  return { certificate, privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
}

const noPem = 'unable to decode PEM data';

/** The number has 63 bits, so that it is never negative. */
function newSerialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(8));
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return Buffer.from(bytes).toString('hex');
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The error of the library may quote the input, so it is dropped.
    return undefined;
  }
}

/** Returns the first block of a text with its label lines, or `undefined` if there is none. */
function firstPemBlock(text: string): string | undefined {
  return /-----BEGIN ([A-Z0-9 ]+)-----\s[A-Za-z0-9+/=\s]+-----END \1-----/.exec(text)?.[0].concat('\n');
}
