// The client certificate for calls of extension servers, from two files or from Secrets Manager.
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Clock, Instant } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import type { ReadSecret } from '../../aws/secrets.ts';
import type { ExtensionSettings } from '../../config/env.ts';

/** The certificate and its key as PEM texts. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Returns the certificate for the next call, or `undefined` if none is configured. Rejects if there was never a usable
 * certificate.
 */
export type CurrentCertificate = () => Promise<ClientCertificate | undefined>;

type Source = ExtensionSettings['certificate'];

interface CertificateOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly readSecret: ReadSecret;
}

/** The cache time of a secret. Files are read before every call. */
const readSecretEveryMs = 5 * 60_000;

/**
 * Uses renewed certificates. If the new certificate is unreadable or does not match its key, the previous one is kept.
 */
export function createCurrentCertificate(source: Source, options: CertificateOptions): CurrentCertificate {
  switch (source.kind) {
    case 'none':
      return async () => undefined;
    case 'files':
      return keeping(() => readPair(source));
    case 'secret':
      return keeping(() => readSecretPair(source.arn, options), { everyMs: readSecretEveryMs, clock: options.clock });
  }
}

function keeping(
  read: () => Promise<ClientCertificate>,
  schedule?: { readonly everyMs: number; readonly clock: Pick<Clock, 'now'> },
): CurrentCertificate {
  let kept: ClientCertificate | undefined;
  let readAt: Instant = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = schedule?.clock.now() ?? 0;
    if (kept !== undefined && schedule !== undefined && now - readAt < schedule.everyMs) {
      return kept;
    }
    readAt = now;
    try {
      kept = checked(await read());
    } catch (error) {
      if (kept === undefined) {
        throw new Error(`the client certificate cannot be used: ${toError(error).message}`, { cause: error });
      }
    }
    return kept;
  };
}

/** Throws unless the texts are a certificate and its key. */
function checked(pair: ClientCertificate): ClientCertificate {
  createSecureContext({ cert: pair.certificate, key: pair.key, minVersion: 'TLSv1.2' });
  return pair;
}

async function readPair({ certificate, key }: Extract<Source, { kind: 'files' }>): Promise<ClientCertificate> {
  const [cert, secret] = await Promise.all([readFile(certificate, 'utf8'), readFile(key, 'utf8')]);
  return { certificate: cert, key: secret };
}

async function readSecretPair(arn: string, { readSecret }: CertificateOptions): Promise<ClientCertificate> {
  const text = await readSecret(arn);
  const blocks = text.match(/-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----/g) ?? [];
  const isKey = (block: string): boolean => /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(block);
  const key = blocks.find(isKey);
  const certificates = blocks.filter(block => block.startsWith('-----BEGIN CERTIFICATE-----'));
  if (key === undefined || certificates.length === 0) {
    throw new Error(`secret ${arn} must hold a certificate and its key, both in PEM`);
  }
  return { certificate: certificates.join('\n'), key };
}
