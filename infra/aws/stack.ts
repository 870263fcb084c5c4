// The CDK stack of a deployment of `npm run synth`: the construct CapiServerless, with ids and ARNs instead of constructs.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { Annotations, Stack } from 'aws-cdk-lib';
import { SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { CapiServerless } from './capi-serverless.ts';
import type { CapiServerlessProps } from './capi-serverless-props.ts';
import type { DeployedParts } from './deployed-parts.ts';
import type { Deployment } from './deployment-schema.ts';

interface CapiServerlessStackProps extends DeployedParts {
  readonly deployment: Deployment;
}

export class CapiServerlessStack extends Stack {
  constructor(scope: Construct, { deployment, ...parts }: CapiServerlessStackProps) {
    const { name, account, region, terminationProtection } = deployment;
    const env = withoutUndefined({ account, region });
    super(scope, name, { stackName: name, env, terminationProtection });
    const imported = new Construct(this, 'Imported');
    // The id Default is not part of logical ids. So resources keep the ids that they had as children of the stack.
    new CapiServerless(this, 'Default', { ...toProps(imported, deployment), parts });
  }
}

/** `scope` gets the constructs that represent existing resources. They are not part of the template. */
function toProps(scope: Construct, deployment: Deployment): CapiServerlessProps {
  const {
    account: _account,
    region: _region,
    terminationProtection: _terminationProtection,
    kmsKeyArn,
    apiServer,
    vpc,
    sources,
    admission,
    conversion,
    settings,
    monitoring,
    ...same
  } = deployment;
  const { auditWebhook, ...otherSources } = sources;
  const { extensionClientCertificateSecret, extensionClientCertificateKmsKeyArn, ...otherSettings } = settings;
  return {
    ...same,
    ...(vpc && toNetwork(scope, vpc)),
    encryptionKey: toKey(scope, 'EncryptionKey', kmsKeyArn),
    apiServer: toApiServer(scope, apiServer),
    sources: { ...otherSources, auditWebhook: auditWebhook && toWebhook(scope, 'AuditTokensKey', auditWebhook) },
    admission: admission && toWebhook(scope, 'AdmissionTokensKey', admission),
    conversion: conversion && toWebhook(scope, 'ConversionTokensKey', conversion),
    settings: {
      ...otherSettings,
      extensionClientCertificateSecret: toSecret(scope, 'ClientCertificate', extensionClientCertificateSecret),
      extensionClientCertificateKey: toKey(scope, 'ClientCertificateKey', extensionClientCertificateKmsKeyArn),
    },
    monitoring: {
      ...monitoring,
      topic: monitoring.topic === undefined ? undefined : Topic.fromTopicArn(scope, 'Topic', monitoring.topic),
    },
  };
}

function toApiServer(scope: Construct, apiServer: Deployment['apiServer']): CapiServerlessProps['apiServer'] {
  if (apiServer.kind === 'kubeconfig') {
    return {
      kind: 'kubeconfig',
      secret: toSecret(scope, 'Kubeconfig', apiServer.secretArn),
      secretKey: toKey(scope, 'KubeconfigKey', apiServer.kmsKeyArn),
    };
  }
  const { securityGroup: id } = apiServer;
  return {
    ...apiServer,
    securityGroup: id === undefined ? undefined : SecurityGroup.fromSecurityGroupId(scope, 'ApiServerGroup', id),
  };
}

function toNetwork(
  scope: Construct,
  { id: vpcId, subnets, ipv6 }: NonNullable<Deployment['vpc']>,
): Pick<CapiServerlessProps, 'vpc' | 'vpcSubnets' | 'ipv6'> {
  // The functions need no route tables.
  Annotations.of(scope).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId');
  return {
    // Nothing reads the zones, and at least one is required.
    vpc: Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId, availabilityZones: ['unknown'] }),
    vpcSubnets: { subnets: subnets.map(subnet => Subnet.fromSubnetId(scope, subnet, subnet)) },
    ipv6,
  };
}

function toWebhook<T extends { readonly kmsKeyArn?: string | undefined }>(
  scope: Construct,
  keyId: string,
  { kmsKeyArn, ...same }: T,
) {
  return { ...same, secretKey: toKey(scope, keyId, kmsKeyArn) };
}

function toSecret(scope: Construct, id: string, arn: string | undefined) {
  return arn === undefined ? undefined : Secret.fromSecretCompleteArn(scope, id, arn);
}

function toKey(scope: Construct, id: string, arn: string | undefined) {
  return arn === undefined ? undefined : Key.fromKeyArn(scope, id, arn);
}
