// The four steps by which Secrets Manager rotates a secret: https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_lambda-functions.html
import * as z from 'zod/mini';
import { checkTokens, toTokenLines } from '../../shared/lambda/tokens.ts';

export type Stage = 'AWSCURRENT' | 'AWSPENDING';

/** A port: the versions of secrets. Nothing of it tells a value in an error. */
export interface SecretVersions {
  /** The value of that stage, or of that version in that stage; undefined when there is none. */
  value(secret: string, of: { readonly stage: Stage; readonly version?: string }): Promise<string | undefined>;
  /** The version that has the stage. */
  versionIn(secret: string, stage: Stage): Promise<string | undefined>;
  put(secret: string, of: { readonly version: string; readonly value: string; readonly stage: Stage }): Promise<void>;
  /** Makes it the current one, instead of `from`. */
  promote(secret: string, of: { readonly version: string; readonly from: string | undefined }): Promise<void>;
}

const orderSchema = z.object({
  Step: z.enum(['createSecret', 'setSecret', 'testSecret', 'finishSecret']),
  SecretId: z.string().check(z.minLength(1)),
  /** Names the new version. */
  ClientRequestToken: z.string().check(z.minLength(1)),
});

export type Order = z.infer<typeof orderSchema>;

/** Throws ZodError. */
export function parseOrder(event: unknown): Order {
  return orderSchema.parse(event);
}

export interface RotationOptions {
  readonly versions: SecretVersions;
  /** A bearer token that nobody can guess. */
  readonly newToken: () => string;
}

/**
 * The new version holds a new token and, second, the newest of the version before, which API servers still show: both are
 * valid until the next rotation. Each step may come twice.
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
      // API servers read their token from a file that only people can change.
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
