// The rights to read and rotate secrets. A secret under a customer-managed key also needs rights on the key, which
// apply only to requests of Secrets Manager.
// https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html#security-encryption-authz
import { Stack } from 'aws-cdk-lib';
import { isToken } from './deployment-schema.ts';
import type { ScopedFunction } from './scoped-function.ts';

interface SecretUnderKey {
  readonly secretArn: string;
  /** Undefined: the key that AWS manages, which needs no rights. */
  readonly kmsKeyArn: string | undefined;
}

export function letRead(target: ScopedFunction, { secretArn, kmsKeyArn }: SecretUnderKey): void {
  target.allow(['secretsmanager:GetSecretValue'], [secretArn]);
  if (kmsKeyArn !== undefined) {
    target.allow(['kms:Decrypt'], [kmsKeyArn], throughSecretsManager(target, kmsKeyArn));
  }
}

/** Also includes the right to read. */
export function letRotate(target: ScopedFunction, { secretArn, kmsKeyArn }: SecretUnderKey): void {
  const actions = ['GetSecretValue', 'DescribeSecret', 'PutSecretValue', 'UpdateSecretVersionStage'];
  target.allow(
    actions.map(action => `secretsmanager:${action}`),
    [secretArn],
  );
  if (kmsKeyArn !== undefined) {
    target.allow(['kms:Decrypt', 'kms:GenerateDataKey'], [kmsKeyArn], throughSecretsManager(target, kmsKeyArn));
  }
}

/**
 * A key and its secrets are in one region. A key that is a token is in the region of the stack. In China, service names may have the ending of its endpoints:
 * https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-via-service
 */
function throughSecretsManager(
  target: ScopedFunction,
  kmsKeyArn: string,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const region = isToken(kmsKeyArn) ? Stack.of(target).region : (kmsKeyArn.split(':')[3] ?? '');
  const service = `secretsmanager.${region}.amazonaws.com`;
  return { StringEquals: { 'kms:ViaService': region.startsWith('cn-') ? [service, `${service}.cn`] : service } };
}
