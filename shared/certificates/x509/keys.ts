// Keys for signing and for client certificates.
import { generateKeyPair, type KeyObject, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);
const rsaBits = 2048;

type CryptoKey = webcrypto.CryptoKey;

interface SigningKey {
  readonly key: CryptoKey;
  readonly algorithm: { readonly name: string; readonly hash: string };
}

/** Creates an RSA key, which all Kubernetes components can read. */
export function createKeyPair(): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  return generate('rsa', { modulusLength: rsaBits });
}

/** Curves by their OpenSSL names. The hash has the same size as the curve. */
const curves: Readonly<Record<string, { readonly name: string; readonly hash: string }>> = {
  prime256v1: { name: 'P-256', hash: 'SHA-256' },
  secp384r1: { name: 'P-384', hash: 'SHA-384' },
  secp521r1: { name: 'P-521', hash: 'SHA-512' },
};

/** Throws TypeError if the key is neither RSA nor on curve P-256, P-384 or P-521. */
export async function toSigningKey(key: KeyObject): Promise<SigningKey> {
  const der = key.export({ type: 'pkcs8', format: 'der' });
  if (key.asymmetricKeyType === 'rsa') {
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    return { key: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']), algorithm };
  }
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (curve === undefined) {
    throw new TypeError('a key of this kind cannot sign here; use RSA or ECDSA on P-256, P-384 or P-521');
  }
  const imported = await webcrypto.subtle.importKey('pkcs8', der, { name: 'ECDSA', namedCurve: curve.name }, false, [
    'sign',
  ]);
  return { key: imported, algorithm: { name: 'ECDSA', hash: curve.hash } };
}
