// A kubeconfig in Secrets Manager, read again every few minutes and after the API server refuses it.

import type { Clock } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { createSecretReader, type ReadSecret } from '../../aws/secrets.ts';
import type { Credentials } from './credentials.ts';
import { readInlineKubeconfig } from './kubeconfig.ts';
import { createRenewedCredentials } from './renewed-credentials.ts';

interface SecretKubeconfigOptions {
  readonly readSecret?: ReadSecret;
  readonly clock?: Pick<Clock, 'now'>;
}

/** The maximum time until a rotated token is used. If the old token is refused, the secret is read immediately. */
const readEveryMs = 5 * 60_000;

/** Rejects with SecretError, or with a KubeconfigError that names the secret. The kubeconfig must be self-contained. */
export function createSecretKubeconfig(
  arn: string,
  { readSecret = createSecretReader(), clock = systemClock }: SecretKubeconfigOptions = {},
): Promise<Credentials> {
  return createRenewedCredentials({
    clock,
    load: async () => ({
      ...(await readInlineKubeconfig(`secret ${arn}`, await readSecret(arn))),
      staleAt: clock.now() + readEveryMs,
    }),
  });
}
