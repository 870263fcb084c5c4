// Digests, and deterministic derivations from secrets. https://masterminds.github.io/sprig/crypto.html
import { createDecipheriv, createHash, createHmac, createPrivateKey, scryptSync, X509Certificate } from 'node:crypto';
import { fromBytes, toBytes } from '../bytes.ts';
import { define, FunctionError, type FunctionTable } from '../call.ts';
import type { RenderMeter } from '../limits.ts';
import { Opaque } from '../value.ts';
import { decodeBase64 } from './encodings.ts';

const digest = (algorithm: string) =>
  define(['string'], ([text], meter) => {
    meter.text(text.length * 4);
    return createHash(algorithm).update(toBytes(text)).digest('hex');
  });

const adlerModulus = 65_521;

function adler32(text: string): string {
  let [a, b] = [1, 0];
  for (const byte of toBytes(text)) {
    a = (a + byte) % adlerModulus;
    b = (b + a) % adlerModulus;
  }
  return String(b * 65_536 + a);
}

const ivBytes = 16;
const keyBytes = 32;

function decrypted(password: string, text: string): string {
  if (text === '') {
    return '';
  }
  const bytes = decodeBase64(text);
  if (bytes === undefined) {
    throw new FunctionError('illegal base64 data');
  }
  const key = new Uint8Array(keyBytes);
  key.set(toBytes(password).subarray(0, keyBytes));
  if (bytes.length <= ivBytes || bytes.length % ivBytes !== 0) {
    throw new FunctionError('crypto/cipher: input not full blocks');
  }
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, ivBytes)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes.subarray(ivBytes)), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  if (padding > padded.length) {
    throw new FunctionError('runtime error: slice bounds out of range');
  }
  return fromBytes(padded.subarray(0, padded.length - padding));
}

function certificate(certificate64: string, key64: string): Opaque {
  const [certificateBytes, keyBytesOf] = [decodeBase64(certificate64), decodeBase64(key64)];
  if (certificateBytes === undefined) {
    throw new FunctionError('unable to decode base64 certificate');
  }
  if (keyBytesOf === undefined) {
    throw new FunctionError('unable to decode base64 private key');
  }
  const [Cert, Key] = [fromBytes(certificateBytes), fromBytes(keyBytesOf)];
  readOrRefuse('certificate', () => new X509Certificate(Cert));
  readOrRefuse('private key', () => {
    refuseOtherAlgorithms(Key);
    createPrivateKey(Key);
  });
  return new Opaque({
    type: 'sprig.certificate',
    content: { Cert, Key },
    text: `{${Cert} ${Key}}`,
    methods: { Cert: { params: [], run: () => Cert }, Key: { params: [], run: () => Key } },
  });
}

/**
 * The object identifiers of RSA, EC, X25519 and Ed25519, in DER. Go reads no other keys in PKCS #8. For others, OpenSSL
 * calculates the public key, in a time that grows with the cube of the size: about 50 seconds for 16 KiB.
 */
const algorithms = ['06092a864886f70d010101', '06072a8648ce3d0201', '06032b656e', '06032b6570'];
const beginPkcs8 = '-----BEGIN PRIVATE KEY-----';

/** Throws if a key in PKCS #8 is of another algorithm. */
function refuseOtherAlgorithms(pem: string): void {
  for (let at = pem.indexOf(beginPkcs8); at >= 0; at = pem.indexOf(beginPkcs8, at + 1)) {
    const start = at + beginPkcs8.length;
    const body = pem.slice(start, pem.indexOf('-----', start)).replaceAll(/\s/g, '');
    const der = Buffer.from(decodeBase64(body) ?? []);
    // A sequence with a version of one byte, and a sequence that begins with the identifier.
    const version = contentAt(der, 0);
    const identifier = contentAt(der, version + 3);
    const hex = der.toString('hex', identifier, identifier + 11);
    if (!algorithms.some(algorithm => hex.startsWith(algorithm))) {
      throw new FunctionError('PKCS#8 wrapping contained private key with unknown algorithm');
    }
  }
}

/** The offset of the content of the element at this offset. */
function contentAt(der: Buffer, at: number): number {
  const length = der[at + 1] ?? 0;
  return at + 2 + (length > 0x80 ? length & 0x7f : 0);
}

function readOrRefuse(what: string, read: () => unknown): void {
  try {
    read();
  } catch {
    throw new FunctionError(`error parsing ${what}: it is not PEM of a ${what}`);
  }
}

/**
 * The characters for each letter of a Master Password pattern. https://masterpassword.app/masterpassword-algorithm.pdf
 */
const characters: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
};

const patterns: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: (
    'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv ' +
    'CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv ' +
    'CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno'
  ).split(' '),
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};

const scope = 'com.lyndir.masterpassword';
/** The derivation of a key takes a tenth of a second, so the step limit must stop repeated calls. */
const derivationSteps = 500_000;

/** The public key of a curve may have to be calculated, which takes a millisecond. */
const certificateSteps = 5000;

function sized(text: string): Buffer {
  const bytes = toBytes(text);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}

interface Derivation {
  readonly counter: number;
  readonly type: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
}

function derived({ counter, type, password, user, site }: Derivation, meter: RenderMeter): string {
  const choices = Object.hasOwn(patterns, type) ? patterns[type] : undefined;
  if (choices === undefined) {
    return `cannot find password template ${type}`;
  }
  meter.spend(derivationSteps);
  const salt = Buffer.concat([Buffer.from(scope), sized(user)]);
  const key = scryptSync(toBytes(password), salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 64 * 1024 * 1024 });
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const seed = createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(scope), sized(site), count]))
    .digest();
  const pattern = choices[(seed[0] ?? 0) % choices.length] ?? '';
  const pick = (letter: string, at: number): string => {
    const from = characters[letter] ?? '';
    return from[(seed[at + 1] ?? 0) % from.length] ?? '';
  };
  return [...pattern].map(pick).join('');
}

export const digestFunctions: FunctionTable = {
  sha1sum: digest('sha1'),
  sha256sum: digest('sha256'),
  sha512sum: digest('sha512'),
  adler32sum: define(['string'], ([text], meter) => {
    meter.text(text.length * 4);
    return adler32(text);
  }),
  decryptAES: define(['string', 'string'], ([password, text], meter) => {
    meter.text(text.length * 4);
    return decrypted(password, text);
  }),
  buildCustomCert: define(['string', 'string'], ([certificate64, key64], meter) => {
    meter.spend(certificateSteps);
    return certificate(certificate64, key64);
  }),
  derivePassword: define(
    ['uint32', 'string', 'string', 'string', 'string'],
    ([counter, type, password, user, site], meter) => derived({ counter, type, password, user, site }, meter),
  ),
};
