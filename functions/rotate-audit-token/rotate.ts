// The four steps of a Secrets Manager rotation: https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_lambda-functions.html
import * as z from 'zod/mini';
import { checkTokens, toTokenLines } from '../../shared/lambda/tokens.ts';

type Stage = 'AWSCURRENT' | 'AWSPENDING';

/** The port to the versions of secrets. Its errors never contain a value. */
export interface SecretVersions {
  /** Returns the value in this stage or of this version in this stage. Returns undefined if there is none. */
  value(secret: string, of: { readonly stage: Stage; readonly version?: string }): Promise<string | undefined>;
  /** Returns the id of the version in this stage. */
  versionIn(secret: string, stage: Stage): Promise<string | undefined>;
  put(secret: string, of: { readonly version: string; readonly value: string; readonly stage: Stage }): Promise<void>;
  /** Moves AWSCURRENT from version `from` to `version`. */
  promote(secret: string, of: { readonly version: string; readonly from: string | undefined }): Promise<void>;
}

const orderSchema = z.object({
  Step: z.enum(['createSecret', 'setSecret', 'testSecret', 'finishSecret']),
  SecretId: z.string().check(z.minLength(1)),
  /** The id of the new version. */
  ClientRequestToken: z.string().check(z.minLength(1)),
});

export type Order = z.infer<typeof orderSchema>;

/** Throws ZodError. */
export function parseOrder(event: unknown): Order {
  return orderSchema.parse(event);
}

interface RotationOptions {
  readonly versions: SecretVersions;
  /** Returns an unpredictable bearer token. */
  readonly newToken: () => string;
}

/**
 * The new version contains a new token and the newest token of the previous version, which API servers still use. Both
 * are valid until the next rotation. Every step is idempotent, because Secrets Manager may repeat it.
 */
export async function rotate({ versions, newToken }: RotationOptions, order: Order): Promise<void> {
  const { Step: step, SecretId: secret, ClientRequestToken: version } = order;
  const pending = { stage: 'AWSPENDING', version } as const;
  switch (step) {
    case 'createSecret': {
      if ((await versions.value(secret, pending)) === undefined) {
        const [newest] = checkTokens(
          toTokenLines((await versions.value(secret, { stage: 'AWSCURRENT' })) ?? ''),
          secret,
        );
        await versions.put(secret, { ...pending, value: `${newToken()}\n${newest}` });
      }
      return;
    }
    case 'setSecret':
      // API servers read their token from a file that only an operator can change.
      return;
    case 'testSecret':
      checkTokens(toTokenLines((await versions.value(secret, pending)) ?? ''), secret);
      return;
    case 'finishSecret': {
      const from = await versions.versionIn(secret, 'AWSCURRENT');
      if (from !== version) {
        await versions.promote(secret, { version, from });
      }
      return;
    }
  }
}
