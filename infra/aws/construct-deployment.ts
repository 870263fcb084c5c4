// From the properties of the construct CapiServerless to a checked deployment.
import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type {
  AdmissionProps,
  AuditWebhookProps,
  CapiServerlessProps,
  EksApiServer,
  KubeconfigApiServer,
  SecretReference,
} from './capi-serverless-props.ts';
import { DeploymentError, parseDeployments } from './deployment.ts';
import type { Deployment } from './deployment-schema.ts';

/**
 * Returns the deployment with ARNs and ids instead of constructs. They may be tokens. Unknown properties are passed on,
 * so that they are refused. Throws DeploymentError, with the property and what to do.
 */
export function toDeployment(scope: Construct, props: CapiServerlessProps): Deployment {
  const {
    vpc,
    vpcSubnets,
    ipv6,
    securityGroups,
    encryptionKey,
    apiServer,
    sources,
    admission,
    conversion,
    settings,
    monitoring,
    ...same
  } = props;
  const refuse = (problem: string): never => {
    throw new DeploymentError(`Deployment ${same.name}: ${problem}`);
  };
  if ('terminationProtection' in props) {
    refuse('terminationProtection: is a property of the stack; set it there');
  }
  if ('kmsKeyArn' in props) {
    refuse('kmsKeyArn: is the property encryptionKey of the construct; import the key with Key.fromKeyArn');
  }
  const network = toNetwork(props, refuse);
  const {
    extensionClientCertificateSecret: certificate,
    extensionClientCertificateKey,
    ...otherSettings
  } = settings ?? {};
  const { auditWebhook, ...otherSources } = sources ?? {};
  const { topic, ...otherMonitoring } = monitoring ?? {};
  const given = {
    ...same,
    ...placeOf(scope),
    kmsKeyArn: encryptionKey?.keyArn,
    // Ids of a VPC that the CDK looks up are placeholders at first, so they are not checked.
    vpc: network && { ...network, id: 'vpc-00000000', subnets: ['subnet-00000000'] },
    apiServer: toApiServer(props, refuse),
    sources: { ...otherSources, auditWebhook: auditWebhook && toWebhook(props, auditWebhook) },
    admission: admission && toWebhook(props, admission),
    conversion: conversion && toWebhook(props, conversion),
    settings: {
      ...otherSettings,
      extensionClientCertificateSecret:
        certificate && completeArnOf(certificate, 'settings.extensionClientCertificateSecret', refuse),
      extensionClientCertificateKmsKeyArn: (extensionClientCertificateKey ?? certificate?.encryptionKey)?.keyArn,
    },
    monitoring: { ...otherMonitoring, topic: topic?.topicArn },
  };
  const [deployment] = parseDeployments([given]);
  if (deployment === undefined) {
    throw new Error('A list of one deployment was parsed to none');
  }
  return { ...deployment, vpc: network };
}

type Refuse = (problem: string) => never;

/** The account and region of the stack, if they are known. */
function placeOf(scope: Construct): Pick<Deployment, 'account' | 'region'> {
  const { account, region } = Stack.of(scope);
  return {
    account: Token.isUnresolved(account) ? undefined : account,
    region: Token.isUnresolved(region) ? undefined : region,
  };
}

function toNetwork(props: CapiServerlessProps, refuse: Refuse): Deployment['vpc'] {
  const { vpc, vpcSubnets, securityGroups, ipv6 = false } = props;
  if (vpc === undefined) {
    const field = (['vpcSubnets', 'securityGroups', 'ipv6'] as const).find(name => props[name] !== undefined);
    return field === undefined ? undefined : refuse(`${field}: requires a VPC; set vpc as well`);
  }
  if (securityGroups?.length === 0) {
    return refuse('securityGroups: is empty; name a group, or omit it for a new one');
  }
  const selected = (() => {
    try {
      return vpc.selectSubnets(vpcSubnets);
    } catch (cause) {
      return refuse(`vpcSubnets: ${cause instanceof Error ? cause.message : cause}; select other subnets of vpc`);
    }
  })();
  if (selected.hasPublic) {
    return refuse('vpcSubnets: functions in public subnets have no way to the internet; select private subnets');
  }
  if (selected.subnetIds.length === 0) {
    return refuse('vpcSubnets: selects no subnet; select private subnets of vpc');
  }
  return { id: vpc.vpcId, subnets: selected.subnetIds, ipv6 };
}

function toApiServer({ apiServer, encryptionKey }: CapiServerlessProps, refuse: Refuse): object {
  return apiServer?.kind === 'eks' ? toEks(apiServer) : toKubeconfig(apiServer, encryptionKey, refuse);
}

function toEks({ securityGroup, ...same }: EksApiServer): object {
  return { ...same, securityGroup: securityGroup?.securityGroupId };
}

function toKubeconfig(
  apiServer: KubeconfigApiServer | undefined,
  encryptionKey: CapiServerlessProps['encryptionKey'],
  refuse: Refuse,
): object {
  const { kind = 'kubeconfig', secret, secretKey, ...unknown } = apiServer ?? {};
  const known = secret === undefined ? encryptionKey : secret.encryptionKey;
  return {
    ...unknown,
    kind,
    secretArn: secret && completeArnOf(secret, 'apiServer.secret', refuse),
    kmsKeyArn: (secretKey ?? known)?.keyArn,
  };
}

function toWebhook(
  { encryptionKey }: CapiServerlessProps,
  { secretKey, ...same }: AdmissionProps | AuditWebhookProps,
): object {
  return { ...same, kmsKeyArn: (secretKey ?? encryptionKey)?.keyArn };
}

/** A secret that was imported by its name has an incomplete ARN, which matches secrets of other names as well. */
function completeArnOf({ secretFullArn }: SecretReference, prop: string, refuse: Refuse): string {
  return secretFullArn ?? refuse(`${prop}: its complete ARN is not known; import it with Secret.fromSecretCompleteArn`);
}
