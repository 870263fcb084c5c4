// Implements the SecretVersions port with Secrets Manager.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { ask, parse, SecretError, type SecretsOptions, toValue } from '../../shared/aws/secrets.ts';
import type { SecretVersions } from './rotate.ts';

const describedSchema = z.object({ VersionIdsToStages: z._default(z.record(z.string(), z.array(z.string())), {}) });

/** Rejects with SecretError. */
export function createSecretVersions(options: SecretsOptions = {}): SecretVersions {
  return {
    async value(secret, { stage, version }) {
      const of = { VersionStage: stage, ...withoutUndefined({ VersionId: version }) };
      const asked = {
        doing: `Reading secret ${secret}`,
        action: 'GetSecretValue',
        body: { SecretId: secret, ...of },
      } as const;
      const answer = await ask(options, asked).catch((error: unknown) => {
        if (error instanceof SecretError && error.code === 'ResourceNotFoundException') {
          return undefined;
        }
        throw error;
      });
      return answer === undefined ? undefined : toValue(answer.text);
    },
    async versionIn(secret, stage) {
      const doing = `Describing secret ${secret}`;
      const answer = await ask(options, { doing, action: 'DescribeSecret', body: { SecretId: secret } });
      const described = describedSchema.safeParse(parse(answer.text));
      if (!described.success) {
        throw new SecretError(`${doing} failed: the answer has no versions`);
      }
      return Object.entries(described.data.VersionIdsToStages).find(([, stages]) => stages.includes(stage))?.[0];
    },
    async put(secret, { version, value, stage }) {
      await ask(options, {
        doing: `Writing a version of secret ${secret}`,
        action: 'PutSecretValue',
        body: { SecretId: secret, ClientRequestToken: version, SecretString: value, VersionStages: [stage] },
      });
    },
    async promote(secret, { version, from }) {
      await ask(options, {
        doing: `Making a version of secret ${secret} the current one`,
        action: 'UpdateSecretVersionStage',
        body: {
          SecretId: secret,
          VersionStage: 'AWSCURRENT',
          MoveToVersionId: version,
          ...withoutUndefined({ RemoveFromVersionId: from }),
        },
      });
    },
  };
}
