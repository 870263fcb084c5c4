// A deployment on EKS whose queues have a customer-managed key, which only the construct has a property for.
import { type App, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CapiServerless } from '../../../infra/aws/capi-serverless.ts';
import type { CapiServerlessStack } from '../../../infra/aws/stack.ts';

type StackProps = ConstructorParameters<typeof CapiServerlessStack>[1];

/** Creates the stack with this key. The API server of the deployment must be that of an EKS cluster without a VPC. */
export function encryptedStack(keyArn: string) {
  return (app: App, { deployment, ...parts }: StackProps): void => {
    const { name, apiServer, sources, settings, monitoring, managementCluster } = deployment;
    const { extensionClientCertificateSecret: certificate, ...otherSettings } = settings;
    if (apiServer.kind !== 'eks' || certificate === undefined) {
      throw new Error(`Deployment ${name} must be on EKS, with a client certificate`);
    }
    const { securityGroup: _group, ...cluster } = apiServer;
    const { topic: _topic, ...otherMonitoring } = monitoring;
    const { auditWebhook: _webhook, ...otherSources } = sources;
    const stack = new Stack(app, name, { stackName: name });
    new CapiServerless(stack, 'Default', {
      name,
      managementCluster,
      apiServer: cluster,
      sources: otherSources,
      settings: {
        ...otherSettings,
        extensionClientCertificateSecret: Secret.fromSecretCompleteArn(stack, 'Certificate', certificate),
      },
      monitoring: otherMonitoring,
      encryptionKey: Key.fromKeyArn(stack, 'Key', keyArn),
      parts,
    });
  };
}
