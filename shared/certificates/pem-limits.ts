// Limits of keys and certificates that tenants supply. They are checked in the encoding, before a library uses the key.
// An operation with an RSA key of 32,768 bits blocks a process for many seconds. RFC 8017 and RFC 5958 define keys, RFC
// 5280 defines certificates.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { bitsOf, childrenOf, type Element, elementsBetween, tags } from './der.ts';

/** The maximum number of bits of an RSA modulus. crypto/tls of Go has the same limit. */
const maxRsaBits = 8192;
/** The maximum number of bytes of a certificate. A certificate of a Kubernetes authority has about 1 KiB. */
const maxCertificateBytes = 16 * 1024;
/** The maximum number of bytes of an RSA key. A key with 8,192 bits has about 4.6 KiB. */
const maxRsaKeyBytes = 8 * 1024;
/** The maximum number of bytes of other keys. A key on the curve P-521 has about 240 bytes. */
const maxOtherKeyBytes = 1024;

const noKey = 'holds no private key in PKCS#1, PKCS#8 or SEC 1 form';

const blocks = /-----BEGIN ([A-Z0-9 ]+)-----\s[A-Za-z0-9+/=\s]+-----END \1-----/g;

/**
 * Returns all certificates of the text as PEM. The error contains the limit or the problem, but no part of the text.
 */
export function certificatesIn(text: string): Checked<string> {
  const certificates = blocksIn(text).filter(({ label }) => label === 'CERTIFICATE');
  if (certificates.length === 0) {
    return invalid('holds no X.509 certificate');
  }
  const problem = certificates.map(problemOfCertificate).find(each => each !== undefined);
  return problem === undefined ? valid(certificates.map(({ pem }) => pem).join('')) : invalid(problem);
}

/** Returns the first private key of the text as PEM. The error has the same form as for certificates. */
export function privateKeyIn(text: string): Checked<string> {
  const key = blocksIn(text).find(({ label }) => label.endsWith('PRIVATE KEY'));
  if (key === undefined) {
    return invalid(noKey);
  }
  const problem = problemOfKey(key);
  return problem === undefined ? valid(key.pem) : invalid(problem);
}

interface Block {
  readonly label: string;
  readonly pem: string;
  readonly bytes: Uint8Array;
}

function blocksIn(text: string): readonly Block[] {
  return [...text.matchAll(blocks)].map(([pem, label = '']) => ({
    label,
    pem: `${pem}\n`,
    bytes: Buffer.from(pem.replaceAll(/-----[A-Z0-9 ]+-----/g, ''), 'base64'),
  }));
}

function problemOfCertificate({ bytes }: Block): string | undefined {
  if (bytes.length > maxCertificateBytes) {
    return `holds a certificate of ${bytes.length} bytes; at most ${maxCertificateBytes} are read`;
  }
  const [body] = childrenOf(bytes, rootOf(bytes));
  // The elements are: serial number, algorithm, issuer, validity, subject, public key.
  const fields = childrenOf(bytes, body).filter(({ tag }) => tag !== tags.version);
  const [algorithm, key] = childrenOf(bytes, fields[5]);
  if (key === undefined || !isRsa(bytes, algorithm)) {
    return undefined;
  }
  // A bit string begins with the number of its unused bits.
  const [numbers] = elementsBetween(bytes, key.start + 1, key.end);
  return problemOfModulus(bytes, childrenOf(bytes, numbers)[0]);
}

function problemOfKey({ label, bytes }: Block): string | undefined {
  const fields = childrenOf(bytes, rootOf(bytes));
  switch (label) {
    case 'RSA PRIVATE KEY':
      return problemOfRsaKey(bytes, fields);
    case 'PRIVATE KEY': {
      const [, algorithm, key] = fields;
      return isRsa(bytes, algorithm)
        ? problemOfRsaKey(bytes, childrenOf(bytes, childrenOf(bytes, key)[0]))
        : problemOfSize(bytes, 'a private key other than RSA', maxOtherKeyBytes);
    }
    case 'EC PRIVATE KEY':
      return problemOfSize(bytes, 'a private key other than RSA', maxOtherKeyBytes);
    default:
      return noKey;
  }
}

function problemOfRsaKey(bytes: Uint8Array, [, modulus]: readonly Element[]): string | undefined {
  return problemOfModulus(bytes, modulus) ?? problemOfSize(bytes, 'an RSA key', maxRsaKeyBytes);
}

function problemOfModulus(bytes: Uint8Array, modulus: Element | undefined): string | undefined {
  if (modulus?.tag !== tags.integer) {
    return 'holds an RSA key that cannot be read';
  }
  const bits = bitsOf(bytes, modulus);
  return bits > maxRsaBits
    ? `holds an RSA key of ${bits} bits; use one of at most ${maxRsaBits} bits, or ECDSA`
    : undefined;
}

function problemOfSize({ length }: Uint8Array, what: string, limit: number): string | undefined {
  return length > limit ? `holds ${what} of ${length} bytes; at most ${limit} are read` : undefined;
}

function rootOf(bytes: Uint8Array): Element | undefined {
  return elementsBetween(bytes, 0, bytes.length)[0];
}

/** The object identifier 1.2.840.113549.1.1 in DER. It is the prefix of all RSA algorithms. */
const rsaPrefix = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];

function isRsa(bytes: Uint8Array, algorithm: Element | undefined): boolean {
  const [identifier] = childrenOf(bytes, algorithm);
  return (
    identifier?.tag === tags.objectIdentifier && rsaPrefix.every((byte, at) => bytes[identifier.start + at] === byte)
  );
}
