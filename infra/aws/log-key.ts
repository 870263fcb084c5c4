// The key with which CloudWatch Logs encrypts the log groups of a deployment.
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { toPhysicalName } from './physical-names.ts';

/**
 * The policy of an imported key stays as it is. https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
export function letLogsUse(key: IKey | undefined, scope: Construct, deployment: string): void {
  const stack = Stack.of(scope);
  const groups = ['lambda', 'apigateway'].map(service =>
    stack.formatArn({
      service: 'logs',
      resource: 'log-group',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      resourceName: `/aws/${service}/${toPhysicalName(deployment, '*')}`,
    }),
  );
  key?.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${stack.region}.amazonaws.com`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': groups } },
    }),
    true,
  );
}
