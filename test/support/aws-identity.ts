// Fake AWS credentials, for signatures in tests.
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Instant } from '@capi-serverless/apimachinery';
import { type AwsIdentity, createAwsIdentity } from '../../shared/aws/identity.ts';

export const testSecretKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

interface IdentityOptions {
  readonly region?: string;
  readonly sessionToken?: string;
  readonly expiresAt?: () => Instant;
}

export function testIdentity({ region = 'eu-central-1', sessionToken, expiresAt }: IdentityOptions = {}): AwsIdentity {
  const credentials = async () => ({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: testSecretKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    ...(expiresAt === undefined ? {} : { expiration: new Date(expiresAt()) }),
  });
  const { config } = new SQSClient({ region, credentials });
  return createAwsIdentity({ region: config.region, sha256: config.sha256, credentials });
}
