// A kubeconfig that Secrets Manager keeps, read again every few minutes and when the API server refuses what it holds.
import { createSecretReader, type ReadSecret } from '../../aws/secrets.ts';
import type { Clock } from '../../kernel/clock.ts';
import { systemClock } from '../../telemetry/system-clock.ts';
import type { Credentials } from './credentials.ts';
import { readInlineKubeconfig } from './kubeconfig.ts';
import { createRenewedCredentials } from './renewed-credentials.ts';

export interface SecretKubeconfigOptions {
  readonly readSecret?: ReadSecret;
  readonly clock?: Pick<Clock, 'now'>;
}

/** A rotated token is taken up by then; one that was refused at once. */
const readEveryMs = 5 * 60_000;

/** Rejects with SecretError, or with KubeconfigError that names the secret. It must hold all it needs: no files, no plugins. */
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
